// Lets data stay on the device between regions of a function, until the host may change it.
//
// Called by src/bridge/ir_device.rs only, when all regions of a function are written. An area is what can be reached
// from one point, its begin, while the host changes no memory: blocks that this point dominates, with regions for a
// device and else nothing but arithmetic and loads. Regions of an area hand on what is on the device. Wherever the host
// loads something and wherever an area is left, the library brings back what the device has. If it cannot, the program
// goes on at the begin: the host's memory is what it was there, nothing but values was computed since, and the library
// has the host run all regions. Once results came back, those of later regions do so at once.
//
// In front of code that the host runs in a region's place, code generation calls polyrs_gpu_host with a null pointer:
// such calls are where an area is left on that way, and go if they are in none.

#include "bridge/bridge.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

bool isCallOf(const Instruction &I, StringRef Name) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == Name;
}

bool isBegin(const Instruction &I) { return isCallOf(I, "polyrs_gpu_begin"); }
bool isEnd(const Instruction &I) { return isCallOf(I, "polyrs_gpu_end"); }
bool isLaunch(const Instruction &I) { return isCallOf(I, "polyrs_gpu_launch_on"); }
bool isMark(const Instruction &I) {
  return isCallOf(I, "polyrs_gpu_host") && isa<ConstantPointerNull>(cast<CallInst>(I).getArgOperand(0));
}

// Whether a variable of the frame is known to the library's functions and to loads and stores only: its address is
// stored nowhere.
bool isRoom(const AllocaInst &Alloca) {
  SmallVector<const Value *, 8> Addresses = {&Alloca};
  bool ForLibrary = false;
  while (!Addresses.empty()) {
    const Value *Address = Addresses.pop_back_val();
    for (const User *U : Address->users()) {
      auto *I = dyn_cast<Instruction>(U);
      if (I && isa<GetElementPtrInst>(I)) {
        Addresses.push_back(I);
        continue;
      }
      bool IsCall = I && (isBegin(*I) || isLaunch(*I));
      bool IsAccess = I && (isa<LoadInst>(I) || (isa<StoreInst>(I) && I->getOperand(0) != Address));
      if (!IsCall && !IsAccess)
        return false;
      ForLibrary |= IsCall;
    }
  }
  return ForLibrary;
}

// What an instruction of the host means for regions.
enum class Use {
  None,
  // It may see what they have written.
  Looks,
  // It may change what they read, let another thread see what they have written, or not go on.
  Changes,
};

Use useOf(const Instruction &I) {
  if (isa<ReturnInst>(I) || isMark(I))
    return Use::Changes;
  if (isBegin(I) || isEnd(I) || isLaunch(I) || isCallOf(I, "polyrs_gpu_final") || isCallOf(I, "polyrs_gpu_stays"))
    return Use::None;
  if (I.mayThrow())
    return Use::Changes;
  if (!I.mayReadOrWriteMemory())
    return Use::None;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    return Intrinsic->isAssumeLikeIntrinsic() && !Intrinsic->isLifetimeStartOrEnd() ? Use::None : Use::Changes;
  if (I.isVolatile() || I.isAtomic())
    return Use::Changes;
  const Value *Address = getLoadStorePointerOperand(&I);
  const Value *Object = Address ? getUnderlyingObject(Address) : nullptr;
  if (auto *Alloca = dyn_cast_or_null<AllocaInst>(Object))
    if (isRoom(*Alloca))
      return Use::None;
  auto *Global = dyn_cast_or_null<GlobalVariable>(Object);
  if (!isa<LoadInst>(I))
    return Use::Changes;
  return Global && Global->isConstant() ? Use::None : Use::Looks;
}

bool changes(const Instruction &I) { return useOf(I) == Use::Changes; }
bool looks(const Instruction &I) { return useOf(I) == Use::Looks; }

bool hasIn(const Loop &L, function_ref<bool(const Instruction &)> What) {
  return any_of(L.blocks(), [&](const BasicBlock *BB) { return any_of(*BB, What); });
}

// An area, and where it is left.
struct Area {
  // Where it begins: in front of the loop, or of an instruction.
  Loop *Around = nullptr;
  Instruction *First = nullptr;
  SmallSetVector<BasicBlock *, 16> Blocks;
  SmallVector<Instruction *, 4> Before;
  SmallSetVector<std::pair<BasicBlock *, BasicBlock *>, 8> Edges;
  // Where the host looks at memory and the area goes on; edges are those into loops that do so.
  SmallVector<Instruction *, 4> Looks;
  SmallSetVector<std::pair<BasicBlock *, BasicBlock *>, 8> Entries;
  SmallVector<CallInst *, 4> Begins, Ends;
};

class Areas {
  Function &F;
  DominatorTree DT;
  LoopInfo LI;
  SmallVector<BasicBlock *, 4> HostBlocks;

public:
  explicit Areas(Function &F) : F(F), DT(F), LI(DT) {
    for (Instruction &I : instructions(F))
      if (isMark(I))
        HostBlocks.push_back(I.getParent());
  }

  // Whether a block runs in a region's place.
  bool isInPlace(const BasicBlock *BB) const {
    return any_of(HostBlocks, [&](const BasicBlock *Host) { return DT.dominates(Host, BB); });
  }

  // Whether the host changes memory nowhere in a loop but in the place of regions.
  bool isClean(const Loop &L) const {
    return all_of(L.blocks(), [&](BasicBlock *BB) {
      return isInPlace(BB) || none_of(*BB, changes);
    });
  }

  // The area from the begin of a region on, or of the outermost loop around that can be part of one.
  Area around(CallInst &Begin) const {
    Area Found;
    for (Loop *L = LI.getLoopFor(Begin.getParent()); L && isClean(*L); L = L->getParentLoop())
      Found.Around = L;
    Found.First = &Begin;
    BasicBlock *Root = Found.Around ? Found.Around->getHeader() : Begin.getParent();
    Found.Blocks.insert(Root);
    for (size_t K = 0; K < Found.Blocks.size(); ++K)
      grow(Found, *Found.Blocks[K], *Root);
    return Found;
  }

private:
  // Goes through a block of an area, and on to what follows.
  void grow(Area &Found, BasicBlock &BB, const BasicBlock &Root) const {
    BasicBlock::iterator From = &BB == &Root && !Found.Around ? Found.First->getIterator() : BB.begin();
    bool IsShown = outermostWithout(BB) != nullptr;
    for (Instruction &I : make_range(From, BB.end())) {
      Use Now = useOf(I);
      if (Now == Use::Changes) {
        Found.Before.push_back(&I);
        return;
      }
      if (Now == Use::Looks && !IsShown) {
        Found.Looks.push_back(&I);
        IsShown = true;
      }
      if (isBegin(I))
        Found.Begins.push_back(cast<CallInst>(&I));
      if (isEnd(I)) {
        Found.Ends.push_back(cast<CallInst>(&I));
        IsShown = false;
      }
    }
    for (BasicBlock *Next : successors(&BB)) {
      bool Again = Next == &Root && !Found.Around;
      if (Again || !DT.dominates(&Root, Next) || isEntered(BB, *Next))
        Found.Edges.insert({&BB, Next});
      else
        Found.Blocks.insert(Next);
      Loop *Entered = outermostWithout(*Next);
      if (Found.Blocks.contains(Next) && Entered && !Entered->contains(&BB) && hasIn(*Entered, looks))
        Found.Entries.insert({&BB, Next});
    }
  }

  // The outermost loop around a block that has no region in it.
  Loop *outermostWithout(const BasicBlock &BB) const {
    Loop *Found = nullptr;
    for (Loop *L = LI.getLoopFor(&BB); L && !hasIn(*L, isBegin); L = L->getParentLoop())
      Found = L;
    return Found;
  }

  // Whether an edge goes into a loop that cannot be part of an area.
  bool isEntered(const BasicBlock &From, const BasicBlock &To) const {
    for (Loop *L = LI.getLoopFor(&To); L && !L->contains(&From); L = L->getParentLoop())
      if (!isClean(*L))
        return true;
    return false;
  }
};

// Whether an area is worth it, and its edges can be split.
bool isOfUse(const Area &Found) {
  auto IsWhole = [](const auto &Edge) {
    const Instruction *Last = Edge.first->getTerminator();
    return Edge.second->isEHPad() || isa<IndirectBrInst, CallBrInst>(Last) || count(successors(Edge.first), Edge.second) > 1;
  };
  bool Splits = none_of(Found.Edges, IsWhole) && none_of(Found.Entries, IsWhole);
  bool Several = Found.Begins.size() > 1 || (Found.Around && !Found.Begins.empty());
  return Splits && Several && Found.Begins.size() == Found.Ends.size();
}

// Makes a session of an area.
class Rewriter {
  Function &F;
  Type *Word = Type::getInt64Ty(F.getContext()), *Number = Type::getInt32Ty(F.getContext());
  Type *Address = PointerType::getUnqual(F.getContext());
  Value *Session = nullptr;
  BasicBlock *Begin = nullptr;

  FunctionCallee library(StringRef Name, Type *Result, ArrayRef<Type *> Parameters) {
    return F.getParent()->getOrInsertFunction(Name, FunctionType::get(Result, Parameters, false));
  }

  // A call with the session in front of the other arguments, in its place.
  void replace(CallInst &Call, StringRef Name) {
    SmallVector<Value *, 8> Arguments = {Session};
    append_range(Arguments, Call.args());
    SmallVector<Type *, 8> Types;
    for (Value *Argument : Arguments)
      Types.push_back(Argument->getType());
    auto *With = CallInst::Create(library(Name, Call.getType(), Types), Arguments, "", Call.getIterator());
    Call.replaceAllUsesWith(With);
    Call.eraseFromParent();
  }

  // Ends a block with the question whether the host may go on behind it, or has to start anew.
  void ask(BasicBlock &BB, StringRef Question) {
    BasicBlock *Next = BB.getSingleSuccessor();
    BB.getTerminator()->eraseFromParent();
    IRBuilder<> Builder(&BB);
    Value *Fine = Builder.CreateCall(library(Question, Number, {Address}), {Session});
    Builder.CreateCondBr(Builder.CreateIsNotNull(Fine), Next, Begin);
  }

  // Asks in front of an instruction.
  void askBefore(Instruction &I, StringRef Question) {
    BasicBlock *BB = I.getParent();
    SplitBlock(BB, &I);
    ask(*BB, Question);
  }

public:
  Rewriter(Function &F, Area &Found) : F(F) {
    IRBuilder<> Entry(F.getContext());
    Entry.SetInsertPointPastAllocas(&F);
    Session = Entry.CreateAlloca(Word, nullptr, "polyrs.session");
    Instruction *First = Found.First;
    if (Found.Around) {
      SmallVector<BasicBlock *, 2> Outside;
      for (BasicBlock *From : predecessors(Found.Around->getHeader()))
        if (!Found.Around->contains(From))
          Outside.push_back(From);
      First = SplitBlockPredecessors(Found.Around->getHeader(), Outside, ".area")->getTerminator();
    }
    new StoreInst(ConstantInt::get(Word, 0), Session, First->getIterator());
    BasicBlock *Before = First->getParent();
    Begin = SplitBlock(Before, First);
    for (CallInst *Call : Found.Begins)
      replace(*Call, "polyrs_gpu_begin_in");
    for (CallInst *Call : Found.Ends)
      replace(*Call, "polyrs_gpu_end_in");
    // Where an area that is no loop begins, its first block has become two.
    auto AskOn = [&](BasicBlock *From, BasicBlock *To, StringRef Question) {
      ask(*SplitEdge(From == Before ? Begin : From, To), Question);
    };
    for (auto [From, To] : Found.Edges)
      AskOn(From, To, "polyrs_gpu_host");
    for (auto [From, To] : Found.Entries)
      AskOn(From, To, "polyrs_gpu_show");
    for (Instruction *I : Found.Looks)
      askBefore(*I, "polyrs_gpu_show");
    for (Instruction *I : Found.Before) {
      askBefore(*I, "polyrs_gpu_host");
      if (isMark(*I))
        I->eraseFromParent();
    }
  }
};

} // namespace

// Lets data stay on the device between regions of `FunctionRef`, where `Keeps`; takes away what marked the host's code.
// How many areas there are.
POLYRS_EXPORT uint64_t polyrs_device_resident(LLVMValueRef FunctionRef, bool Keeps) {
  Function &F = *cast<Function>(unwrap(FunctionRef));
  uint64_t Count = 0;
  for (bool Again = Keeps; Again;) {
    Again = false;
    Areas Now(F);
    for (Instruction &I : instructions(F)) {
      if (!isBegin(I))
        continue;
      Area Found = Now.around(cast<CallInst>(I));
      if (!isOfUse(Found))
        continue;
      Rewriter Done(F, Found);
      ++Count;
      Again = true;
      break;
    }
  }
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isMark(I))
      I.eraseFromParent();
  for (StringRef Name : {"polyrs_gpu_begin", "polyrs_gpu_end", "polyrs_gpu_host"})
    if (Function *Unused = F.getParent()->getFunction(Name); Unused && Unused->use_empty())
      Unused->eraseFromParent();
  return Count;
}
