// Where loops are in the user's source, and what counts them there: by debug information.

#include "bridge/places.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"

#include <utility>

using namespace llvm;

// The place itself, or for code inlined from another file the call in the function's own file, if there is one.
const DILocation *polyrsInOwnFile(const DILocation *Loc) {
  if (!Loc)
    return nullptr;
  const DIFile *Own = Loc->getInlinedAtScope()->getSubprogram()->getFile();
  auto IsOwn = [&](const DILocation *Of) { return Of->getFile() == Own || (Own && Of->getFilename() == Own->getFilename()); };
  const DILocation *Outer = Loc;
  while (Outer->getInlinedAt() && !IsOwn(Outer))
    Outer = Outer->getInlinedAt();
  return IsOwn(Outer) ? Outer : Loc;
}

// The label at the beginning of a loop that is made of jumps; those of the language's own loops have places.
static const DILocation *labelOf(const Loop &L) {
  if (L.getLoopID())
    return nullptr;
  for (const Instruction &I : *L.getHeader())
    for (const DbgRecord &Record : I.getDbgRecordRange())
      if (auto *Label = dyn_cast<DbgLabelRecord>(&Record))
        return polyrsInOwnFile(Label->getDebugLoc().get());
  return nullptr;
}

// Where a loop begins: flang and rustc give the branch back to its header the loop's place, that in front of it perhaps
// the place of a loop inside.
const DILocation *polyrsStartOf(const Loop &L) {
  if (const DILocation *Label = labelOf(L))
    return Label;
  const DILocation *Start = polyrsInOwnFile(L.getStartLoc().get());
  const BasicBlock *Latch = L.getLoopLatch();
  const DILocation *Back = Latch ? polyrsInOwnFile(Latch->getTerminator()->getDebugLoc().get()) : nullptr;
  if (!Back || Back->getLine() == 0)
    return Start;
  auto Place = [](const DILocation *Loc) { return std::pair(Loc->getLine(), Loc->getColumn()); };
  bool IsEarlier = !Start || (Back->getFile() == Start->getFile() && Place(Back) < Place(Start));
  return IsEarlier ? Back : Start;
}

// The variable of the source that a value of a loop's header is, in some width; nothing where it is none. Variables of
// what was inlined into the loop may have its value as well: `InlinedAt` says where the loop itself was.
static StringRef variableOf(PHINode &Counter, const DILocation *InlinedAt) {
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgValues(&Counter, Records);
  for (const DILocation *At : {static_cast<const DILocation *>(nullptr), InlinedAt})
    for (const DbgVariableRecord *Record : Records) {
      const DILocalVariable *Known = Record->getVariable();
      const DIExpression *How = Record->getExpression();
      bool IsWhole = Record->getNumVariableLocationOps() == 1 && !How->getFragmentInfo() && !How->startsWithDeref();
      bool IsOwn = Record->getDebugLoc().getInlinedAt() == At && (!At || !Known->isParameter());
      if (IsWhole && IsOwn && !Known->isArtificial() && !Known->getName().empty())
        return Known->getName();
    }
  return "";
}

PolyrsCounter polyrsCounterOf(const Loop &L, const SCEV *Start, ScalarEvolution &SE) {
  PolyrsCounter Found;
  const DebugLoc Begin = L.getStartLoc();
  const DILocation *InlinedAt = Begin ? Begin.getInlinedAt() : nullptr;
  for (PHINode &P : L.getHeader()->phis()) {
    if (!SE.isSCEVable(P.getType()))
      continue;
    auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&P));
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
      continue;
    StringRef Name = variableOf(P, InlinedAt);
    bool IsValue = P.getType()->isIntegerTy() && Rec->getStepRecurrence(SE)->isOne() && Rec->getStart() == Start;
    if (!Name.empty() && (Found.Name.empty() || (IsValue && !Found.IsValue)))
      Found = {Name, IsValue};
  }
  return Found;
}
