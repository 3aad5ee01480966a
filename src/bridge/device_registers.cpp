// See device_registers.h. Called by src/bridge/device.cpp only.
//
// Empty assembler code hands values on: LLVM knows nothing of what comes out, and computes nothing of it earlier.

#include "bridge/device_registers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <map>
#include <optional>

using namespace llvm;

namespace {

// Rows from which on addresses of their own are too many.
constexpr size_t FewestRows = 4;
// Products in an address beyond which it is left as it is.
constexpr size_t MostProducts = 32;
// Stores in a block from which on it is taken for the end of loops that have a tile of elements in registers.
constexpr unsigned StoresOfTile = 16;
// Products of 64-bit integers in a block from which on it is taken for a step of such loops.
constexpr size_t ProductsOfTile = 16;

// The same value, of which LLVM knows nothing.
Value *handedOn(IRBuilder<> &Builder, Value *Of) {
  auto *Type = FunctionType::get(Of->getType(), {Of->getType()}, /*isVarArg=*/false);
  const char *Register = Of->getType()->isIntegerTy(64) ? "=l,0" : "=r,0";
  CallInst *Call = Builder.CreateCall(InlineAsm::get(Type, "", Register, /*hasSideEffects=*/true), {Of});
  Call->setDoesNotThrow();
  // Calls that touch no memory at all are joined.
  Call->setOnlyAccessesInaccessibleMemory();
  return Call;
}

bool isGeneric(const Value *Ptr) { return Ptr && Ptr->getType()->getPointerAddressSpace() == 0; }

bool storesTile(const BasicBlock *Block) {
  auto IsStore = [](const Instruction &I) { return isa<StoreInst>(I) && isGeneric(getLoadStorePointerOperand(&I)); };
  return static_cast<unsigned>(count_if(*Block, IsStore)) >= StoresOfTile;
}

// Hands on the integers that these blocks have from outside, at the beginning of the first one, which dominates them.
void handOnInto(ArrayRef<BasicBlock *> Blocks) {
  SmallPtrSet<const BasicBlock *, 32> Own(Blocks.begin(), Blocks.end());
  auto IsOutside = [&](const Value *V) {
    auto *Def = dyn_cast<Instruction>(V);
    return (V->getType()->isIntegerTy(32) || V->getType()->isIntegerTy(64)) && (Def ? !Own.contains(Def->getParent()) : isa<Argument>(V));
  };
  MapVector<Value *, SmallVector<Use *, 4>> Uses;
  for (BasicBlock *Block : Blocks)
    for (Instruction &I : *Block)
      for (Use &U : I.operands()) {
        auto *Phi = dyn_cast<PHINode>(&I);
        if (IsOutside(U.get()) && (!Phi || Own.contains(Phi->getIncomingBlock(U))))
          Uses[U.get()].push_back(&U);
      }
  IRBuilder<> Builder(Blocks.front(), Blocks.front()->getFirstInsertionPt());
  for (auto &[Of, All] : Uses) {
    Value *Inside = handedOn(Builder, Of);
    for (Use *U : All)
      U->set(Inside);
  }
}

// A sum of products of values, by the numbers of these in ascending order, each with a factor, modulo 2^64. That of no
// value is the constant.
using Sum = std::map<SmallVector<unsigned, 4>, APInt>;

void add(Sum &To, const SmallVector<unsigned, 4> &Product, const APInt &Factor) {
  auto [It, New] = To.try_emplace(Product, Factor);
  if (!New)
    It->second += Factor;
  if (It->second.isZero())
    To.erase(It);
}

Sum times(const Sum &A, const Sum &B) {
  Sum Out;
  for (const auto &[P, F] : A)
    for (const auto &[Q, G] : B) {
      SmallVector<unsigned, 4> Both(P);
      Both.append(Q.begin(), Q.end());
      llvm::sort(Both);
      add(Out, Both, F * G);
    }
  return Out;
}

Sum minus(Sum A, const Sum &B) {
  for (const auto &[P, F] : B)
    add(A, P, -F);
  return A;
}

// Loads and stores of elements that are numbers apart.
struct Row {
  // Without the constant.
  Sum At;
  SmallVector<std::pair<Instruction *, APInt>, 8> Accesses;
};

class Steps {
  ScalarEvolution &SE;
  SCEVExpander Expander;
  // Values in products, by number.
  SetVector<const SCEV *> Values;

  std::optional<Sum> valued(const SCEV *S) {
    Values.insert(S);
    auto Number = static_cast<unsigned>(std::distance(Values.begin(), llvm::find(Values, S)));
    Sum Out;
    add(Out, {Number}, APInt(SE.getTypeSizeInBits(S->getType()), 1));
    return Out;
  }

  // `nullopt`: it has too many products.
  std::optional<Sum> sumOf(const SCEV *S) {
    Sum Out;
    if (auto *Constant = dyn_cast<SCEVConstant>(S)) {
      add(Out, {}, Constant->getAPInt());
      return Out;
    }
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
      SmallVector<const SCEV *, 4> Operands(Rec->operands());
      Operands[0] = SE.getZero(Rec->getStepRecurrence(SE)->getType());
      auto Start = sumOf(Rec->getStart()), Rest = valued(SE.getAddRecExpr(Operands, Rec->getLoop(), SCEV::FlagAnyWrap));
      return Start ? std::optional(minus(*Start, minus({}, *Rest))) : std::nullopt;
    }
    auto *All = dyn_cast<SCEVNAryExpr>(S);
    if (!All || !isa<SCEVAddExpr, SCEVMulExpr>(S))
      return valued(S);
    for (const SCEV *Operand : All->operands()) {
      auto Part = sumOf(Operand);
      if (!Part)
        return std::nullopt;
      if (Operand == All->getOperand(0))
        Out = *Part;
      else
        Out = isa<SCEVMulExpr>(S) ? times(Out, *Part) : minus(std::move(Out), minus({}, *Part));
      if (Out.size() > MostProducts)
        return std::nullopt;
    }
    return Out;
  }

  // Null where it is zero, a place in memory, or another one in each iteration of a loop.
  const SCEV *step(const Sum &Of) {
    SmallVector<const SCEV *, 4> Products;
    for (const auto &[Product, Factor] : Of) {
      SmallVector<const SCEV *, 4> Factors = {SE.getConstant(Factor)};
      for (unsigned Number : Product) {
        if (Values[Number]->getType()->isPointerTy() || SE.getTypeSizeInBits(Values[Number]->getType()) != Factor.getBitWidth() ||
            isa<SCEVAddRecExpr>(Values[Number]))
          return nullptr;
        Factors.push_back(Values[Number]);
      }
      Products.push_back(SE.getMulExpr(Factors));
    }
    return Products.empty() ? nullptr : SE.getAddExpr(Products);
  }

  void write(ArrayRef<Row> Rows, const SCEV *Step) {
    auto &[First, FirstNumber] = Rows[0].Accesses[0];
    Value *Start = getLoadStorePointerOperand(First);
    Value *Length = Expander.expandCodeFor(Step, Step->getType(), First->getIterator());
    Value *Offset = nullptr;
    for (const Row &R : Rows.drop_front()) {
      IRBuilder<> Builder(R.Accesses[0].first);
      Value *Before = handedOn(Builder, Offset ? Offset : Length);
      Offset = Offset ? Builder.CreateAdd(Before, Length) : Before;
      Value *Line = Builder.CreatePtrAdd(Start, Offset);
      for (const auto &[I, Number] : R.Accesses) {
        Builder.SetInsertPoint(I);
        APInt Behind = Number - FirstNumber;
        unsigned Operand = isa<LoadInst>(I) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex();
        I->setOperand(Operand, Behind.isZero() ? Line : Builder.CreatePtrAdd(Line, Builder.getInt(Behind)));
      }
    }
  }

  // Rows in the order in which they are touched, those next to each other a step apart.
  void writeAll(ArrayRef<Row> Rows) {
    for (size_t From = 0; From + 1 < Rows.size();) {
      Sum Apart = minus(Rows[From + 1].At, Rows[From].At);
      size_t End = From + 2;
      while (End < Rows.size() && minus(Rows[End].At, Rows[End - 1].At) == Apart)
        ++End;
      const SCEV *Step = End - From >= FewestRows ? step(Apart) : nullptr;
      bool Fits = Step && Expander.isSafeToExpandAt(Step, Rows[From].Accesses[0].first);
      if (Fits)
        write(Rows.slice(From, End - From), Step);
      From = Fits ? End : From + 1;
    }
  }

public:
  explicit Steps(ScalarEvolution &SE) : SE(SE), Expander(SE, "row") {}

  void visit(BasicBlock &Block) {
    SmallVector<Row, 16> Rows;
    for (Instruction &I : Block) {
      Value *Ptr = getLoadStorePointerOperand(&I);
      if (!isGeneric(Ptr))
        continue;
      auto At = sumOf(SE.getSCEV(Ptr));
      if (!At)
        continue;
      APInt Number(SE.getTypeSizeInBits(Ptr->getType()), 0);
      if (auto It = At->find({}); It != At->end()) {
        Number = It->second;
        At->erase(It);
      }
      if (Rows.empty() || Rows.back().At != *At)
        Rows.push_back({*At, {}});
      Rows.back().Accesses.emplace_back(&I, Number);
    }
    writeAll(Rows);
  }
};

// 64-bit integers as halves, each value's once in a block.
class Halves {
  IRBuilder<> Builder;
  DenseMap<Value *, std::pair<Value *, Value *>> Known;

  Value *upper(Value *Of) { return Builder.CreateTrunc(Builder.CreateLShr(Of, 32), Builder.getInt32Ty()); }

  // The lower half and the upper one. The backend would multiply 64 bits again if it knew where the lower one is from.
  std::pair<Value *, Value *> of(Value *Whole) {
    auto [It, New] = Known.try_emplace(Whole);
    if (New)
      It->second = {handedOn(Builder, Builder.CreateTrunc(Whole, Builder.getInt32Ty())), upper(Whole)};
    return It->second;
  }

public:
  explicit Halves(LLVMContext &Context) : Builder(Context) {}

  // `A B + C` modulo 2^64, in front of an instruction.
  Value *multiplied(Instruction *Before, Value *A, Value *B, Value *C) {
    Builder.SetInsertPoint(Before);
    auto [LowA, HighA] = of(A);
    auto [LowB, HighB] = of(B);
    Type *Long = Builder.getInt64Ty();
    Value *Low = Builder.CreateAdd(Builder.CreateMul(Builder.CreateZExt(LowA, Long), Builder.CreateZExt(LowB, Long)), C);
    Value *High = Builder.CreateAdd(Builder.CreateMul(LowA, HighB), upper(Low));
    High = Builder.CreateAdd(Builder.CreateMul(HighA, LowB), High);
    Value *Both = PoisonValue::get(FixedVectorType::get(Builder.getInt32Ty(), 2));
    Both = Builder.CreateInsertElement(Both, Builder.CreateTrunc(Low, Builder.getInt32Ty()), uint64_t(0));
    return Builder.CreateBitCast(Builder.CreateInsertElement(Both, High, uint64_t(1)), Long);
  }
};

void splitProducts(BasicBlock &Block) {
  using namespace PatternMatch;
  Value *A = nullptr, *B = nullptr, *C = nullptr;
  auto Product = m_OneUse(m_Mul(m_Value(A), m_Value(B)));
  auto IsSum = [&](Instruction &I) { return I.getType()->isIntegerTy(64) && match(&I, m_c_Add(Product, m_Value(C))) && !isa<Constant>(B); };
  SmallVector<Instruction *, 64> Sums;
  for (Instruction &I : Block)
    if (IsSum(I))
      Sums.push_back(&I);
  if (Sums.size() < ProductsOfTile)
    return;
  Halves Of(Block.getContext());
  for (Instruction *Sum : Sums) {
    if (!IsSum(*Sum))
      continue;
    Value *Halved = Of.multiplied(Sum, A, B, C);
    Sum->replaceAllUsesWith(Halved);
    RecursivelyDeleteTriviallyDeadInstructions(Sum);
  }
}

} // namespace

void polyrsKeepRimsApart(Function &F) {
  DominatorTree DT(F);
  for (BasicBlock &Block : F) {
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    if (!Branch || Branch->isUnconditional())
      continue;
    for (unsigned K : {0U, 1U}) {
      BasicBlock *Whole = Branch->getSuccessor(K), *Rim = Branch->getSuccessor(1 - K);
      if (!Whole->getSinglePredecessor() || !Rim->getSinglePredecessor())
        continue;
      SmallVector<BasicBlock *, 16> OfWhole, OfRim;
      DT.getDescendants(Whole, OfWhole);
      DT.getDescendants(Rim, OfRim);
      if (any_of(OfWhole, storesTile) && none_of(OfRim, storesTile))
        handOnInto(OfRim);
    }
  }
}

void polyrsStepRows(Function &F) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  AssumptionCache AC(F);
  TargetLibraryInfoImpl Known(F.getParent()->getTargetTriple());
  TargetLibraryInfo TLI(Known);
  ScalarEvolution SE(F, TLI, AC, DT, LI);
  Steps Of(SE);
  for (BasicBlock &Block : F)
    Of.visit(Block);
}

void polyrsSplitProducts(Function &F) {
  for (BasicBlock &Block : F)
    splitProducts(Block);
}
