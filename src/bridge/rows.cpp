// Functions that tell at run time how the rows behind the pointers of tables lie in memory.
//
// A table is given by the address of its first pointer, the bytes from one pointer to the next, and how many there are;
// nothing is read of one without pointers. Each function costs a few instructions per pointer. They are written into
// the module that calls them, once, and nobody else sees them.
// Called by src/bridge/ir_rows.rs only.

#include "bridge/bridge.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// A function that is being written.
class Writer {
public:
  Writer(Module &M, StringRef Name, Type *Result, ArrayRef<Type *> Parameters) : B(M.getContext()) {
    F = Function::Create(FunctionType::get(Result, Parameters, false), GlobalValue::InternalLinkage, Name, M);
    F->setDoesNotThrow();
    F->setMustProgress();
    F->setWillReturn();
    F->setOnlyReadsMemory();
    F->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    // Who takes its code in keeps these attributes only if it has them as well; it computes with integers alone.
    F->addFnAttr("min-legal-vector-width", "0");
    for (StringRef Promise : {"less-precise-fpmad", "no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math"})
      F->addFnAttr(Promise, "true");
    B.SetInsertPoint(block("entry"));
  }

  BasicBlock *block(StringRef Name) { return BasicBlock::Create(F->getContext(), Name, F); }
  Value *arg(unsigned K) { return F->getArg(K); }
  void go(BasicBlock *To) { B.SetInsertPoint(To); }

  // The address in pointer `Index` of a table. What is not used by the program may be anything, but is one value.
  Value *row(Value *Table, Value *Stride, Value *Index) {
    Value *Place = B.CreateGEP(B.getInt8Ty(), Table, B.CreateMul(Index, Stride));
    Value *Pointer = B.CreateAlignedLoad(B.getPtrTy(), Place, Align(1));
    return B.CreatePtrToInt(B.CreateFreeze(Pointer), B.getInt64Ty());
  }

  PHINode *phi(Type *T, Value *First, BasicBlock *From) {
    PHINode *P = B.CreatePHI(T, 2);
    P->addIncoming(First, From);
    return P;
  }

  IRBuilder<> B;
  Function *F;
};

// i64 (ptr table, i64 stride, i64 count, i64 length): the number of the pointer to the lowest row if the rows of so
// many bytes ascend from there, around the end of the table, without overlapping; else -1.
Function *writeAscending(Module &M, StringRef Name) {
  LLVMContext &C = M.getContext();
  Type *I64 = Type::getInt64Ty(C), *Ptr = PointerType::getUnqual(C);
  Writer W(M, Name, I64, {Ptr, I64, I64, I64});
  IRBuilder<> &B = W.B;
  BasicBlock *Start = W.block("start"), *Loop = W.block("loop"), *Next = W.block("next");
  BasicBlock *Last = W.block("last"), *None = W.block("none"), *Fail = W.block("fail");
  Value *Zero = B.getInt64(0), *One = B.getInt64(1);
  B.CreateCondBr(B.CreateICmpSGT(W.arg(2), One), Start, None);
  W.go(None);
  B.CreateRet(Zero);
  W.go(Fail);
  B.CreateRet(B.getInt64(-1));
  W.go(Start);
  Value *First = W.row(W.arg(0), W.arg(1), Zero);
  B.CreateBr(Loop);
  W.go(Loop);
  PHINode *I = W.phi(I64, One, Start), *At = W.phi(I64, Zero, Start), *Before = W.phi(I64, First, Start);
  Value *Row = W.row(W.arg(0), W.arg(1), I);
  auto IsBehind = [&](Value *A, Value *Of) {
    return B.CreateAnd(B.CreateICmpUGE(A, Of), B.CreateICmpUGE(B.CreateSub(A, Of), W.arg(3)));
  };
  Value *Ascends = IsBehind(Row, Before);
  Value *IsFirst = B.CreateICmpEQ(At, Zero);
  B.CreateCondBr(B.CreateOr(Ascends, IsFirst), Next, Fail);
  W.go(Next);
  Value *NewAt = B.CreateSelect(Ascends, At, I), *NewI = B.CreateAdd(I, One);
  I->addIncoming(NewI, Next);
  At->addIncoming(NewAt, Next);
  Before->addIncoming(Row, Next);
  B.CreateCondBr(B.CreateICmpSLT(NewI, W.arg(2)), Loop, Last);
  W.go(Last);
  Value *Holds = B.CreateOr(B.CreateICmpEQ(NewAt, Zero), IsBehind(First, Row));
  B.CreateRet(B.CreateSelect(Holds, NewAt, B.getInt64(-1)));
  return W.F;
}

// i1 (ptr table, i64 stride, i64 count, i128 first, i128 end, i128 low, i128 high): whether no row has bytes in
// [low, high), counting in each row from `first` to `end`.
Function *writeClear(Module &M, StringRef Name) {
  LLVMContext &C = M.getContext();
  Type *I64 = Type::getInt64Ty(C), *I128 = Type::getInt128Ty(C), *Ptr = PointerType::getUnqual(C);
  Writer W(M, Name, Type::getInt1Ty(C), {Ptr, I64, I64, I128, I128, I128, I128});
  IRBuilder<> &B = W.B;
  BasicBlock *Entry = B.GetInsertBlock(), *Loop = W.block("loop"), *Next = W.block("next");
  BasicBlock *Yes = W.block("yes"), *No = W.block("no");
  B.CreateCondBr(B.CreateICmpSGT(W.arg(2), B.getInt64(0)), Loop, Yes);
  W.go(Yes);
  B.CreateRet(B.getTrue());
  W.go(No);
  B.CreateRet(B.getFalse());
  W.go(Loop);
  PHINode *I = W.phi(I64, B.getInt64(0), Entry);
  Value *Row = B.CreateZExt(W.row(W.arg(0), W.arg(1), I), I128);
  Value *Below = B.CreateICmpSLE(B.CreateAdd(Row, W.arg(4)), W.arg(5));
  Value *Above = B.CreateICmpSLE(W.arg(6), B.CreateAdd(Row, W.arg(3)));
  B.CreateCondBr(B.CreateOr(Below, Above), Next, No);
  W.go(Next);
  Value *NewI = B.CreateAdd(I, B.getInt64(1));
  I->addIncoming(NewI, Next);
  B.CreateCondBr(B.CreateICmpSLT(NewI, W.arg(2)), Loop, Yes);
  return W.F;
}

// i1 (ptr table, i64 stride, i64 count, i64 lowest, i128 first, i128 end, the same of another table): whether no row of
// one overlaps with one of the other. Both ascend from their lowest row, around the end of the table.
Function *writeApart(Module &M, StringRef Name) {
  LLVMContext &C = M.getContext();
  Type *I64 = Type::getInt64Ty(C), *I128 = Type::getInt128Ty(C), *Ptr = PointerType::getUnqual(C);
  Writer W(M, Name, Type::getInt1Ty(C), {Ptr, I64, I64, I64, I128, I128, Ptr, I64, I64, I64, I128, I128});
  IRBuilder<> &B = W.B;
  BasicBlock *Entry = B.GetInsertBlock(), *Loop = W.block("loop"), *Next = W.block("next");
  BasicBlock *Yes = W.block("yes"), *No = W.block("no");
  Value *Zero = B.getInt64(0), *One = B.getInt64(1);
  B.CreateCondBr(B.CreateAnd(B.CreateICmpSGT(W.arg(2), Zero), B.CreateICmpSGT(W.arg(8), Zero)), Loop, Yes);
  W.go(Yes);
  B.CreateRet(B.getTrue());
  W.go(No);
  B.CreateRet(B.getFalse());
  W.go(Loop);
  PHINode *X = W.phi(I64, Zero, Entry), *Y = W.phi(I64, Zero, Entry);
  auto Row = [&](unsigned Of, Value *Step) {
    Value *Index = B.CreateAdd(W.arg(Of + 3), Step), *Count = W.arg(Of + 2);
    Index = B.CreateSelect(B.CreateICmpSLT(Index, Count), Index, B.CreateSub(Index, Count));
    return B.CreateZExt(W.row(W.arg(Of), W.arg(Of + 1), Index), I128);
  };
  Value *A = Row(0, X), *Z = Row(6, Y);
  Value *Below = B.CreateICmpSLE(B.CreateAdd(A, W.arg(5)), B.CreateAdd(Z, W.arg(10)));
  Value *Above = B.CreateICmpSLE(B.CreateAdd(Z, W.arg(11)), B.CreateAdd(A, W.arg(4)));
  B.CreateCondBr(B.CreateOr(Below, Above), Next, No);
  W.go(Next);
  Value *NewX = B.CreateSelect(Below, B.CreateAdd(X, One), X), *NewY = B.CreateSelect(Below, Y, B.CreateAdd(Y, One));
  X->addIncoming(NewX, Next);
  Y->addIncoming(NewY, Next);
  Value *More = B.CreateAnd(B.CreateICmpSLT(NewX, W.arg(2)), B.CreateICmpSLT(NewY, W.arg(8)));
  B.CreateCondBr(More, Loop, Yes);
  return W.F;
}

} // namespace

// Function `which` of those above (in their order), written into the module where it is not there yet.
POLYRS_EXPORT Function *polyrs_ir_rows(Module *M, uint32_t Which) {
  static constexpr const char *Names[] = {"polyrs.rows.ascend", "polyrs.rows.clear", "polyrs.rows.apart"};
  using Write = Function *(*)(Module &, StringRef);
  static constexpr Write All[] = {writeAscending, writeClear, writeApart};
  Function *Known = M->getFunction(Names[Which]);
  return Known ? Known : All[Which](*M, Names[Which]);
}
