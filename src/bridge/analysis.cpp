// Copies what LLVM's analyses know of one function into a flat buffer, in the order of the reader in facts/read.rs.
//
// The buffer holds u64 words; `None` is all ones; signed numbers are sign-extended; strings are (offset, length) in a
// byte buffer. Order of the sections: header with file names, values, expressions, blocks, loops, alias pairs. Each
// begins with its magic word: a writer and a reader that disagree are found out at the next one at the latest.

#include "bridge/bridge.h"
#include "bridge/calls.h"
#include "bridge/costs.h"
#include "bridge/endings.h"
#include "bridge/places.h"

#include "llvm-c/Types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace llvm;

// What Rust reads; everything lives until `polyrs_facts_free`.
struct PolyrsFacts {
  const uint64_t *Words;
  size_t NumWords;
  const char *Bytes;
  size_t NumBytes;
  const LLVMValueRef *Values;
  size_t NumValues;
  const LLVMBasicBlockRef *Blocks;
  size_t NumBlocks;
  void *Owner;
};

namespace {

// Stands for a number that there is none of.
constexpr uint64_t None = ~uint64_t(0);

// The word that a section begins with: eight letters, the first in the highest byte. The last two count versions of the
// format.
constexpr uint64_t magic(const char (&Name)[9]) {
  uint64_t Word = 0;
  for (unsigned K = 0; K < 8; ++K)
    Word = Word << 8 | uint64_t(static_cast<unsigned char>(Name[K]));
  return Word;
}
// Above this number of base pointers those that no loop uses are compared with none; above this number of the others,
// every pair is reported as may-alias without asking.
constexpr size_t MaxAliasBases = 64;

// Numbers shared with facts/read.rs.
enum ValueTag : uint64_t {
  TagArgument,
  TagGlobal,
  TagConstant,
  TagLoad,
  TagStore,
  TagPhi,
  TagICmp,
  TagCondBr,
  TagBr,
  TagRet,
  TagUnreachable,
  TagAnd,
  TagOr,
  TagNot,
  TagPure,
  TagIgnorable,
  TagCall,
  TagUnsupported,
  TagLocal,
};
enum ScevTag : uint64_t {
  ScevConst,
  ScevUnknown,
  ScevAdd,
  ScevMul,
  ScevUDiv,
  ScevAddRec,
  ScevZExt,
  ScevSExt,
  ScevTrunc,
  ScevPtrToInt,
  ScevSMax,
  ScevSMin,
  ScevUMax,
  ScevUMin,
  ScevSeqUMin,
  ScevNone,
};
enum TypeTag : uint64_t { TypeInt, TypeFloat, TypePtr, TypeOther };

// A base pointer with the types that it is accessed by in loops, and whether for writing; null where an access does not
// say its type.
struct Base {
  uint64_t Id;
  bool IsInLoop; // whether a loop accesses memory through it
  SmallSetVector<std::pair<MDNode *, unsigned char>, 4> Types;
};

struct Buffers {
  std::vector<uint64_t> Words;
  std::string Bytes;
  std::vector<LLVMValueRef> Values;
  std::vector<LLVMBasicBlockRef> Blocks;
};

class Extractor {
public:
  Extractor(Function &F, FunctionAnalysisManager &FAM, bool WithNames)
      : F(F), DL(F.getDataLayout()), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        PDT(FAM.getResult<PostDominatorTreeAnalysis>(F)), LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), AA(FAM.getResult<AAManager>(F)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(F)), TTI(FAM.getResult<TargetIRAnalysis>(F)), Endings(F, LI),
        Reads(F, LI, AA, TLI), WithNames(WithNames) {}

  Buffers run();

private:
  using WordVec = std::vector<uint64_t>;

  uint64_t valueId(const Value *V);
  uint64_t scevId(const SCEV *S);
  uint64_t scevAtScope(Value *V, const Loop *L);
  void pushScev(const SCEV *S, ScevTag Tag, ArrayRef<uint64_t> Payload);
  uint64_t loopId(const Loop *L) const { return L ? LoopIds.lookup(L) : None; }
  uint64_t blockId(const BasicBlock *BB) const { return BB ? BlockIds.lookup(BB) : None; }
  void string(WordVec &Out, StringRef S);
  void location(WordVec &Out, const DILocation *Loc);

  void number();
  void value(const Value *V);
  void operands(const Instruction &I);
  uint64_t updateWord(const Instruction &I);
  ValueTag instructionTag(const Instruction &I) const;
  ValueTag callTag(const CallBase &Call) const;
  void memory(const Instruction &I, const Loop *L);
  void costs(const Instruction &I);
  bool onlyTells(const BasicBlock &BB) const;
  void block(const BasicBlock &BB);
  void loop(const Loop &L);
  const SCEV *unitStepStart(const Loop &L);
  void aliases();

  Function &F;
  const DataLayout &DL;
  DominatorTree &DT;
  PostDominatorTree &PDT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AAResults &AA;
  TargetLibraryInfo &TLI;
  const TargetTransformInfo &TTI;
  PolyrsEndings Endings;
  mutable PolyrsReadingCalls Reads;
  bool WithNames;

  DenseMap<const Value *, uint64_t> ValueIds;
  std::vector<const Value *> ValueList;
  DenseMap<const SCEV *, uint64_t> ScevIds;
  DenseMap<const BasicBlock *, uint64_t> BlockIds;
  DenseMap<const Loop *, uint64_t> LoopIds;
  SmallVector<const Loop *, 16> LoopList;
  MapVector<const DIFile *, uint64_t> Files;
  MapVector<const Value *, Base> Bases;
  WordVec ValueWords = {magic("values03")}, ScevWords = {magic("scevs_01")}, BlockWords = {magic("blocks02")},
          LoopWords = {magic("loops_04")}, AliasWords = {magic("alias_02")};
  Buffers Out;
};

uint64_t typeWord(Type *T) {
  if (auto *I = dyn_cast<IntegerType>(T))
    return TypeInt | uint64_t(I->getBitWidth()) << 8;
  if (T->isFloatingPointTy())
    return TypeFloat | uint64_t(T->getPrimitiveSizeInBits().getFixedValue()) << 8;
  return T->isPointerTy() ? TypePtr : TypeOther;
}

uint64_t predicateWord(CmpInst::Predicate P) {
  switch (P) {
  case CmpInst::ICMP_EQ:
    return 0;
  case CmpInst::ICMP_NE:
    return 1;
  case CmpInst::ICMP_SGT:
    return 2;
  case CmpInst::ICMP_SGE:
    return 3;
  case CmpInst::ICMP_SLT:
    return 4;
  case CmpInst::ICMP_SLE:
    return 5;
  case CmpInst::ICMP_UGT:
    return 6;
  case CmpInst::ICMP_UGE:
    return 7;
  case CmpInst::ICMP_ULT:
    return 8;
  default:
    return 9;
  }
}

Buffers Extractor::run() {
  number();
  for (const BasicBlock &BB : F)
    block(BB);
  for (const Loop *L : LoopList)
    loop(*L);
  // Constants and globals join the list while instructions and expressions are written.
  for (size_t K = 0; K < ValueList.size(); ++K)
    value(ValueList[K]);
  aliases();

  WordVec Head = {magic("facts_01"), ValueList.size(), ScevIds.size(), F.size(), LoopList.size(), Files.size()};
  string(Head, F.getName());
  for (const auto &[File, Id] : Files)
    string(Head, File->getFilename());
  size_t Total = Head.size() + ValueWords.size() + ScevWords.size() + BlockWords.size() + LoopWords.size() + AliasWords.size();
  Out.Words.reserve(Total);
  for (const WordVec *Part : {&Head, &ValueWords, &ScevWords, &BlockWords, &LoopWords, &AliasWords})
    Out.Words.insert(Out.Words.end(), Part->begin(), Part->end());
  for (const Value *V : ValueList)
    Out.Values.push_back(reinterpret_cast<LLVMValueRef>(const_cast<Value *>(V)));
  for (BasicBlock &BB : F)
    Out.Blocks.push_back(reinterpret_cast<LLVMBasicBlockRef>(&BB));
  return std::move(Out);
}

void Extractor::number() {
  for (const Argument &A : F.args())
    valueId(&A);
  for (const BasicBlock &BB : F) {
    BlockIds.try_emplace(&BB, BlockIds.size());
    for (const Instruction &I : BB)
      valueId(&I);
  }
  for (const Loop *L : LI.getLoopsInPreorder()) {
    LoopIds.try_emplace(L, LoopIds.size());
    LoopList.push_back(L);
  }
}

uint64_t Extractor::valueId(const Value *V) {
  auto [It, New] = ValueIds.try_emplace(V, ValueList.size());
  if (New)
    ValueList.push_back(V);
  return It->second;
}

void Extractor::string(WordVec &To, StringRef S) {
  To.push_back(Out.Bytes.size());
  To.push_back(S.size());
  Out.Bytes.append(S.data(), S.size());
}

void Extractor::location(WordVec &To, const DILocation *Loc) {
  Loc = polyrsInOwnFile(Loc);
  if (!Loc) {
    To.push_back(None);
    return;
  }
  uint64_t File = Files.try_emplace(Loc->getFile(), Files.size()).first->second;
  To.push_back(File << 48 | uint64_t(Loc->getLine()) << 16 | (Loc->getColumn() & 0xffff));
}

void Extractor::pushScev(const SCEV *S, ScevTag Tag, ArrayRef<uint64_t> Payload) {
  SCEV::NoWrapFlags Flags = SCEV::FlagAnyWrap;
  if (auto *N = dyn_cast<SCEVNAryExpr>(S))
    Flags = N->getNoWrapFlags();
  Type *T = Tag == ScevNone ? nullptr : S->getType();
  uint64_t Bits = T ? SE.getTypeSizeInBits(T) : 0;
  bool IsPtr = T && T->isPointerTy();
  bool NonNeg = Tag != ScevNone && !IsPtr && Bits <= 64 && SE.isKnownNonNegative(S);
  uint64_t Word = Tag | Bits << 8 | uint64_t(IsPtr) << 40 | uint64_t((Flags & SCEV::FlagNSW) != 0) << 41 |
                  uint64_t((Flags & SCEV::FlagNUW) != 0) << 42 | uint64_t(NonNeg) << 43 | uint64_t(Payload.size()) << 44;
  ScevWords.push_back(Word);
  ScevWords.insert(ScevWords.end(), Payload.begin(), Payload.end());
}

// Id of the expression; its operands get theirs first.
uint64_t Extractor::scevId(const SCEV *S) {
  auto Known = ScevIds.find(S);
  if (Known != ScevIds.end())
    return Known->second;
  SmallVector<uint64_t, 8> Payload;
  ScevTag Tag = ScevNone;
  auto Operands = [&](ScevTag T) {
    Tag = T;
    for (const SCEV *Op : S->operands())
      Payload.push_back(scevId(Op));
  };
  // Operands that are shared count each time: who reads expressions walks them as trees.
  if (S->getExpressionSize() > PolyrsMaxExpression) {
    pushScev(S, ScevNone, {});
    return ScevIds.try_emplace(S, ScevIds.size()).first->second;
  }
  switch (S->getSCEVType()) {
  case scConstant: {
    const APInt &C = cast<SCEVConstant>(S)->getAPInt();
    if (C.getSignificantBits() <= 64) {
      Tag = ScevConst;
      Payload.push_back(uint64_t(C.getSExtValue()));
    }
    break;
  }
  case scUnknown: {
    Value *V = cast<SCEVUnknown>(S)->getValue();
    bool IsNull = isa<ConstantPointerNull>(V) && V->getType()->getPointerAddressSpace() == 0;
    Tag = IsNull ? ScevConst : ScevUnknown;
    Payload.push_back(IsNull ? 0 : valueId(V));
    break;
  }
  case scAddExpr:
    Operands(ScevAdd);
    break;
  case scMulExpr:
    Operands(ScevMul);
    break;
  case scUDivExpr:
    Operands(ScevUDiv);
    break;
  case scAddRecExpr:
    Payload.push_back(loopId(cast<SCEVAddRecExpr>(S)->getLoop()));
    Operands(ScevAddRec);
    break;
  case scZeroExtend:
    Operands(ScevZExt);
    break;
  case scSignExtend:
    Operands(ScevSExt);
    break;
  case scTruncate:
    Operands(ScevTrunc);
    break;
  case scPtrToInt:
    Operands(ScevPtrToInt);
    break;
  case scSMaxExpr:
    Operands(ScevSMax);
    break;
  case scSMinExpr:
    Operands(ScevSMin);
    break;
  case scUMaxExpr:
    Operands(ScevUMax);
    break;
  case scUMinExpr:
    Operands(ScevUMin);
    break;
  case scSequentialUMinExpr:
    Operands(ScevSeqUMin);
    break;
  default:
    break;
  }
  pushScev(S, Tag, Payload);
  return ScevIds.try_emplace(S, ScevIds.size()).first->second;
}

uint64_t Extractor::scevAtScope(Value *V, const Loop *L) {
  if (!SE.isSCEVable(V->getType()))
    return None;
  const SCEV *S = SE.getSCEVAtScope(V, L);
  return isa<SCEVCouldNotCompute>(S) ? None : scevId(S);
}

ValueTag Extractor::callTag(const CallBase &Call) const {
  if (!isa<CallInst>(Call) || Call.isInlineAsm() || Call.isConvergent())
    return TagUnsupported;
  if (auto *II = dyn_cast<IntrinsicInst>(&Call)) {
    if (II->isAssumeLikeIntrinsic())
      return TagIgnorable;
    if (II->getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl)
      return TagIgnorable;
  }
  return polyrsComputesOnly(Call, TLI) || Reads.isOfConstants(Call) ? TagPure : TagCall;
}

ValueTag Extractor::instructionTag(const Instruction &I) const {
  using namespace PatternMatch;
  if (auto *L = dyn_cast<LoadInst>(&I))
    return L->isSimple() && !L->getType()->isScalableTy() ? TagLoad : TagUnsupported;
  if (auto *S = dyn_cast<StoreInst>(&I))
    return S->isSimple() && !S->getValueOperand()->getType()->isScalableTy() ? TagStore : TagUnsupported;
  if (isa<PHINode>(I))
    return TagPhi;
  if (isa<ICmpInst>(I) && !I.getType()->isVectorTy())
    return TagICmp;
  if (auto *B = dyn_cast<BranchInst>(&I))
    return B->isConditional() ? TagCondBr : TagBr;
  if (isa<ReturnInst>(I))
    return TagRet;
  if (isa<UnreachableInst>(I))
    return TagUnreachable;
  if (isa<AllocaInst>(I))
    return TagLocal;
  if (I.isTerminator() || I.isAtomic() || I.isVolatile())
    return TagUnsupported;
  if (auto *Call = dyn_cast<CallBase>(&I))
    return callTag(*Call);
  if (auto *Fr = dyn_cast<FreezeInst>(&I))
    return isGuaranteedNotToBeUndefOrPoison(Fr->getOperand(0)) ? TagPure : TagUnsupported;
  if (I.getType()->isIntegerTy(1)) {
    if (match(&I, m_Not(m_Value())))
      return TagNot;
    if (match(&I, m_LogicalAnd(m_Value(), m_Value())))
      return TagAnd;
    if (match(&I, m_LogicalOr(m_Value(), m_Value())))
      return TagOr;
  }
  return I.mayHaveSideEffects() || I.mayReadFromMemory() ? TagUnsupported : TagPure;
}

// Operand ids in the order that the tag promises: loads [ptr], stores [ptr, value], logic [a, b], phis one for each
// edge, the rest as in the instruction.
void Extractor::operands(const Instruction &I) {
  using namespace PatternMatch;
  SmallVector<const Value *, 4> Ops;
  const Value *A, *B;
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    Ops = {S->getPointerOperand(), S->getValueOperand()};
  } else if (I.getType()->isIntegerTy(1) && match(&I, m_Not(m_Value(A)))) {
    Ops = {A};
  } else if (I.getType()->isIntegerTy(1) &&
             (match(&I, m_LogicalAnd(m_Value(A), m_Value(B))) || match(&I, m_LogicalOr(m_Value(A), m_Value(B))))) {
    Ops = {A, B};
  } else if (auto *P = dyn_cast<PHINode>(&I)) {
    Ops.append(P->incoming_values().begin(), P->incoming_values().end());
  } else {
    bool IsCall = isa<CallBase>(I);
    for (const Value *Op : I.operand_values())
      if (!isa<BasicBlock>(Op) && !isa<MetadataAsValue>(Op) && !(IsCall && isa<Function>(Op)) && !isa<InlineAsm>(Op))
        Ops.push_back(Op);
  }
  ValueWords.push_back(Ops.size());
  for (const Value *Op : Ops)
    ValueWords.push_back(valueId(Op));
}

// What the instruction does to an operand that may be a running value, 0 if it is none of the operations below: the
// operation's number, from bit 8 on a bit per operand that may be the running value, and bit 16 if infinities are ruled
// out. Numbers as in facts/read.rs. Floating point counts only with the flags that let operations on one running value
// change places.
uint64_t Extractor::updateWord(const Instruction &I) {
  // Operands that may be the running value.
  const uint64_t First = 1 << 8, Third = 4 << 8, Both = 3 << 8;
  Type *Ty = I.getType();
  bool IsInt = Ty->isIntegerTy() && Ty->getIntegerBitWidth() > 1 && Ty->getIntegerBitWidth() <= 64;
  bool IsFloat = Ty->isHalfTy() || Ty->isFloatTy() || Ty->isDoubleTy();
  if (IsInt) {
    switch (I.getOpcode()) {
    case Instruction::Add:
      return 1 | Both;
    case Instruction::Sub:
      return 1 | First;
    case Instruction::Mul:
      return 2 | Both;
    case Instruction::And:
      return 3 | Both;
    case Instruction::Or:
      return 4 | Both;
    case Instruction::Xor:
      return 5 | Both;
    }
  }
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (IsInt && Intrinsic) {
    switch (Intrinsic->getIntrinsicID()) {
    case Intrinsic::smin:
      return 6 | Both;
    case Intrinsic::smax:
      return 7 | Both;
    case Intrinsic::umin:
      return 8 | Both;
    case Intrinsic::umax:
      return 9 | Both;
    default:
      return 0;
    }
  }
  if (!IsFloat || !isa<FPMathOperator>(I))
    return 0;
  FastMathFlags Flags = I.getFastMathFlags();
  uint64_t NoInfinities = uint64_t(Flags.noInfs()) << 16;
  if (Flags.allowReassoc()) {
    if (I.getOpcode() == Instruction::FAdd)
      return 10 | Both | NoInfinities;
    if (I.getOpcode() == Instruction::FSub)
      return 10 | First | NoInfinities;
    if (I.getOpcode() == Instruction::FMul)
      return 11 | Both | NoInfinities;
    if (Intrinsic && (Intrinsic->getIntrinsicID() == Intrinsic::fmuladd || Intrinsic->getIntrinsicID() == Intrinsic::fma))
      return 10 | Third | NoInfinities;
  }
  if (Flags.noNaNs() && Flags.noSignedZeros() && Intrinsic) {
    if (Intrinsic->getIntrinsicID() == Intrinsic::minnum)
      return 12 | Both | NoInfinities;
    if (Intrinsic->getIntrinsicID() == Intrinsic::maxnum)
      return 13 | Both | NoInfinities;
  }
  return 0;
}

// Words: address expression, base, offset.
void Extractor::memory(const Instruction &I, const Loop *L) {
  Value *Ptr = const_cast<Value *>(getLoadStorePointerOperand(&I));
  const SCEV *S = SE.getSCEVAtScope(Ptr, L);
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(S));
  ValueWords.push_back(scevId(S));
  if (!Base) {
    ValueWords.insert(ValueWords.end(), {None, None});
    return;
  }
  const SCEV *Offset = SE.removePointerBase(S);
  uint64_t Id = valueId(Base->getValue());
  ValueWords.push_back(Id);
  ValueWords.push_back(isa<SCEVCouldNotCompute>(Offset) ? None : scevId(Offset));
  ::Base &Of = Bases.try_emplace(Base->getValue(), ::Base{Id, false, {}}).first->second;
  Of.IsInLoop |= L != nullptr;
  Of.Types.insert({I.getMetadata(LLVMContext::MD_tbaa), isa<StoreInst>(I)});
}

// Words: throughput | latency << 32, vector | lanes << 32. Asked of instructions in loops only.
void Extractor::costs(const Instruction &I) {
  PolyrsCosts Costs{PolyrsNoCost, PolyrsNoCost, PolyrsNoCost, 0};
  if (LI.getLoopFor(I.getParent()))
    Costs = polyrsCostsOf(I, TTI, DL);
  ValueWords.push_back(uint64_t(Costs.Latency) << 32 | Costs.Throughput);
  ValueWords.push_back(uint64_t(Costs.Lanes) << 32 | Costs.Vector);
}

// How many bytes the variable has that begins where `V` points to, if that is one of a known size.
static uint64_t objectBytes(const Value *V, const DataLayout &DL) {
  if (auto *Slot = dyn_cast<AllocaInst>(V); Slot && Slot->isStaticAlloca() && !Slot->getAllocatedType()->isScalableTy())
    return Slot->getAllocationSize(DL)->getFixedValue();
  auto *Global = dyn_cast<GlobalVariable>(V);
  bool IsThis = Global && Global->hasDefinitiveInitializer() && !Global->isThreadLocal();
  return IsThis ? DL.getTypeAllocSize(Global->getValueType()).getFixedValue() : None;
}

// Whether it tells nothing but if a floating-point value is zero (bit 0), and what it is where that is zero (bit 1).
static uint64_t zeroTest(const Instruction &I) {
  using namespace PatternMatch;
  auto *Compare = dyn_cast<FCmpInst>(&I);
  if (!Compare || I.getType()->isVectorTy() || !match(Compare->getOperand(1), m_AnyZeroFP()))
    return 0;
  switch (Compare->getPredicate()) {
  case CmpInst::FCMP_UNE:
  case CmpInst::FCMP_ONE:
    return 1;
  case CmpInst::FCMP_OEQ:
  case CmpInst::FCMP_UEQ:
    return 3;
  default:
    return 0;
  }
}

// Words: tag and type, block, name, location, expression, size; for instructions costs, operands, then by tag.
void Extractor::value(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  ValueTag Tag = I                        ? instructionTag(*I)
                 : isa<Argument>(V)       ? TagArgument
                 : isa<GlobalVariable>(V) ? TagGlobal
                                          : TagConstant;
  const BasicBlock *BB = I ? I->getParent() : nullptr;
  const Loop *L = I ? LI.getLoopFor(BB) : nullptr;
  bool Reachable = !I || DT.isReachableFromEntry(BB);
  ValueWords.push_back(Tag | typeWord(V->getType()) << 8);
  ValueWords.push_back(I ? blockId(BB) : None);
  string(ValueWords, WithNames ? V->getName() : StringRef());
  location(ValueWords, I ? I->getDebugLoc().get() : nullptr);
  ValueWords.push_back(Reachable ? scevAtScope(const_cast<Value *>(V), L) : None);
  ValueWords.push_back(objectBytes(V, DL));
  if (!I)
    return;
  costs(*I);
  operands(*I);
  if (Tag == TagLoad || Tag == TagStore) {
    ValueWords.push_back(DL.getTypeStoreSize(getLoadStoreType(V)).getFixedValue());
    if (Reachable)
      memory(*I, L);
    else
      ValueWords.insert(ValueWords.end(), {None, None, None});
  } else if (auto *P = dyn_cast<PHINode>(I)) {
    for (const BasicBlock *In : P->blocks())
      ValueWords.push_back(blockId(In));
  } else if (Tag == TagICmp) {
    ValueWords.push_back(predicateWord(cast<ICmpInst>(I)->getPredicate()));
    for (const Value *Op : I->operand_values())
      ValueWords.push_back(Reachable ? scevAtScope(const_cast<Value *>(Op), L) : None);
  } else if (Tag == TagCall) {
    ValueWords.push_back(polyrsHeapWord(*cast<CallBase>(I), TLI));
  } else if (Tag == TagPure) {
    ValueWords.push_back(updateWord(*I));
    ValueWords.push_back(polyrsLanewise(*I) | zeroTest(*I) << 1);
  }
}

// Whether the block of a loop does not run in all its iterations, prints messages, and leaves no values to others.
bool Extractor::onlyTells(const BasicBlock &BB) const {
  const Loop *L = LI.getLoopFor(&BB);
  if (!L || !L->getLoopLatch() || !BB.getSingleSuccessor() || !L->contains(BB.getSingleSuccessor()) ||
      DT.dominates(&BB, L->getLoopLatch()))
    return false;
  bool Tells = false;
  for (const Instruction &I : BB) {
    auto *Call = dyn_cast<CallInst>(&I);
    bool Touches = Call && callTag(*Call) == TagCall;
    if (I.isUsedOutsideOfBlock(&BB) || (Touches && !polyrsIsMessage(*Call, TLI)))
      return false;
    Tells |= Touches;
  }
  return Tells;
}

// Whether all edges to the block are branches that are assumed to go elsewhere.
static bool isBehindAssumption(const BasicBlock &BB) {
  return !pred_empty(&BB) && all_of(predecessors(&BB), [&](const BasicBlock *P) {
    const Instruction *End = P->getTerminator();
    return End->hasMetadata(PolyrsAssumedTaken) && End->getSuccessor(1) == &BB;
  });
}

// Words: instruction count (they are numbered in a row), first id, loop, dominator, post-dominator, whether it is
// assumed dead, whether it never returns, which way it ends the program, successors, predecessors.
void Extractor::block(const BasicBlock &BB) {
  BlockWords.push_back(BB.size());
  BlockWords.push_back(valueId(&BB.front()));
  BlockWords.push_back(loopId(LI.getLoopFor(&BB)));
  auto *Node = DT.getNode(&BB);
  BlockWords.push_back(Node && Node->getIDom() ? blockId(Node->getIDom()->getBlock()) : None);
  BlockWords.push_back(blockId(Endings.postDominator(BB, PDT)));
  BlockWords.push_back(isBehindAssumption(BB) || onlyTells(BB));
  BlockWords.push_back(Endings.neverReturns(&BB));
  BlockWords.push_back(Endings.endsOn(BB));
  auto Successors = Endings.successors(BB);
  BlockWords.push_back(Successors.size());
  for (const BasicBlock *S : Successors)
    BlockWords.push_back(blockId(S));
  SmallVector<uint64_t, 4> Preds;
  for (const BasicBlock *P : predecessors(&BB))
    if (!is_contained(Preds, blockId(P)))
      Preds.push_back(blockId(P));
  sort(Preds);
  BlockWords.push_back(Preds.size());
  BlockWords.insert(BlockWords.end(), Preds.begin(), Preds.end());
}

// Start of the widest integer induction variable with step one; the first of them.
const SCEV *Extractor::unitStepStart(const Loop &L) {
  const SCEV *Best = nullptr;
  for (const PHINode &P : L.getHeader()->phis()) {
    if (!P.getType()->isIntegerTy())
      continue;
    auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&P)));
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine() || !Rec->getStepRecurrence(SE)->isOne())
      continue;
    if (!Best || SE.getTypeSizeInBits(Rec->getType()) > SE.getTypeSizeInBits(Best->getType()))
      Best = Rec->getStart();
  }
  return Best;
}

// Words: parent, header, latch, preheader, back edges taken, induction variable's start, whether it ends (a bound of
// its iterations is known, or the language says so), hints, location, its variable in the source and whether the model
// has that one's value, exiting blocks.
void Extractor::loop(const Loop &L) {
  LoopWords.push_back(loopId(L.getParentLoop()));
  LoopWords.push_back(blockId(L.getHeader()));
  LoopWords.push_back(blockId(L.getLoopLatch()));
  LoopWords.push_back(blockId(L.getLoopPreheader()));
  const SCEV *Taken = Endings.backedgeTaken(L, SE);
  LoopWords.push_back(isa<SCEVCouldNotCompute>(Taken) ? None : scevId(Taken));
  const SCEV *UnitStart = unitStepStart(L);
  LoopWords.push_back(UnitStart ? scevId(UnitStart) : None);
  LoopWords.push_back(isMustProgress(&L) || !isa<SCEVCouldNotCompute>(SE.getSymbolicMaxBackedgeTakenCount(&L)));
  LoopWords.push_back(polyrsHintsOf(L, SE));
  location(LoopWords, polyrsStartOf(L));
  PolyrsCounter Counter = polyrsCounterOf(L, UnitStart, SE);
  string(LoopWords, Counter.Name);
  LoopWords.push_back(Counter.IsValue);
  SmallVector<BasicBlock *, 4> Exiting = Endings.exiting(L);
  LoopWords.push_back(Exiting.size());
  for (BasicBlock *BB : Exiting)
    LoopWords.push_back(blockId(BB));
}

using TypePairs = DenseMap<std::pair<MDNode *, MDNode *>, bool>;

// Whether the types of the accesses through two bases say that none touches what the other writes. Nothing else does,
// and `Differ` keeps what was found of each pair of types.
static bool differInType(const Value *A, const Base &OfA, const Value *B, const Base &OfB, BatchAAResults &AA,
                         TypePairs &Differ) {
  auto Location = [](const Value *V, MDNode *Type) {
    return MemoryLocation(V, LocationSize::beforeOrAfterPointer(), AAMDNodes(Type, nullptr, nullptr, nullptr, nullptr));
  };
  auto DoDiffer = [&](MDNode *X, MDNode *Y) {
    auto [Known, IsNew] = Differ.insert({{X, Y}, false});
    if (IsNew)
      Known->second = AA.isNoAlias(Location(A, X), Location(B, Y));
    return Known->second;
  };
  return all_of(OfA.Types, [&](const auto &X) {
    return all_of(OfB.Types, [&](const auto &Y) {
      bool Writes = X.second || Y.second;
      return !Writes || (X.first && Y.first && DoDiffer(X.first, Y.first));
    });
  });
}

// Words: number of pairs, then (smaller id, larger id, 1 may | 2 must); number of bases that are in no pair because
// they are compared with none, and their ids. What lies between the loops of a region is part of it, too.
void Extractor::aliases() {
  SmallVector<std::pair<uint64_t, const Value *>, 16> Sorted;
  WordVec Uncompared;
  for (const auto &[V, Of] : Bases)
    if (Of.IsInLoop || Bases.size() <= MaxAliasBases)
      Sorted.push_back({Of.Id, V});
    else
      Uncompared.push_back(Of.Id);
  sort(Sorted);
  sort(Uncompared);
  BatchAAResults Batch(AA);
  TypePairs Differ;
  WordVec Pairs;
  const bool Asked = Sorted.size() <= MaxAliasBases;
  for (size_t K = 0; K < Sorted.size(); ++K)
    for (size_t N = K + 1; N < Sorted.size(); ++N) {
      const auto &[First, X] = Sorted[K];
      const auto &[Second, Y] = Sorted[N];
      AliasResult R = Asked ? Batch.alias(MemoryLocation::getBeforeOrAfter(X), MemoryLocation::getBeforeOrAfter(Y))
                            : AliasResult(AliasResult::MayAlias);
      if (Asked && R == AliasResult::MayAlias && differInType(X, Bases.find(X)->second, Y, Bases.find(Y)->second, Batch, Differ))
        continue;
      if (R != AliasResult::NoAlias)
        for (uint64_t Word : {First, Second, uint64_t(R == AliasResult::MustAlias ? 2 : 1)})
          Pairs.push_back(Word);
    }
  AliasWords.push_back(Pairs.size() / 3);
  AliasWords.insert(AliasWords.end(), Pairs.begin(), Pairs.end());
  AliasWords.push_back(Uncompared.size());
  AliasWords.insert(AliasWords.end(), Uncompared.begin(), Uncompared.end());
}

} // namespace

// Analyses `F` (a definition) with the analyses of `FAM`, a FunctionAnalysisManager. The result is freed by
// `polyrs_facts_free`.
extern "C" __attribute__((visibility("hidden"))) void polyrs_facts_new(LLVMValueRef F, void *FAM, uint8_t WithNames,
                                                                       PolyrsFacts *Result) {
  auto *Owner = new Buffers(Extractor(*reinterpret_cast<Function *>(F), *static_cast<FunctionAnalysisManager *>(FAM), WithNames != 0).run());
  *Result = {Owner->Words.data(),  Owner->Words.size(),  Owner->Bytes.data(),  Owner->Bytes.size(), Owner->Values.data(),
             Owner->Values.size(), Owner->Blocks.data(), Owner->Blocks.size(), Owner};
}

extern "C" __attribute__((visibility("hidden"))) void polyrs_facts_free(PolyrsFacts *Facts) {
  delete static_cast<Buffers *>(Facts->Owner);
  *Facts = {};
}
