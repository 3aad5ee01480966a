// Where loops are in the user's source, and what counts them there: by debug information.

#include "bridge/places.h"

#include "bridge/bridge.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
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

// Whether a file came with a compiler or was installed: a header of a library, not a file of the user's.
bool polyrsIsInstalled(const DIFile *File) {
  if (!File)
    return false;
  std::string Path = File->getFilename().str();
  if (!StringRef(Path).starts_with("/"))
    Path = (File->getDirectory() + "/" + Path).str();
  auto Begins = [&](StringRef Folder) { return StringRef(Path).starts_with(Folder); };
  return any_of(ArrayRef<StringRef>{"/usr/include/", "/usr/lib/", "/usr/local/include/", "/rustc/"}, Begins) ||
         StringRef(Path).starts_with("/rust/deps/") || StringRef(Path).contains("/rustlib/src/") ||
         StringRef(Path).contains("/.cargo/registry/") || StringRef(Path).contains("/.cargo/git/");
}

// The place in the user's files that code is put into or called at, and the function of a library that is called there,
// if the code is of one: the outermost of those around.
std::pair<const DILocation *, const DISubprogram *> polyrsInUsersFile(const DILocation *Loc) {
  const DISubprogram *Called = nullptr;
  for (; Loc && (Loc->getLine() == 0 || polyrsIsInstalled(Loc->getFile())); Loc = Loc->getInlinedAt())
    Called = Loc->getScope()->getSubprogram();
  return {Loc, Called};
}

// Whether `F` is a function of an installed library, compiled here for whoever calls it. The calls in the user's own
// files that lead to it are listed, see `polyrs_outermost`, with the user's function and the library's that it calls;
// `IsUnused`: no code of the module leads to it any more.
POLYRS_EXPORT size_t polyrs_function_called(PolyrsModule *M, const Function *F, bool *IsInstalled, bool *IsUnused) {
  constexpr size_t MostFunctions = 64, MostCalls = 8;
  M->Outermost.clear();
  *IsUnused = false;
  *IsInstalled = F->getSubprogram() && F->isDiscardableIfUnused() && polyrsIsInstalled(F->getSubprogram()->getFile());
  if (!*IsInstalled)
    return 0;
  SmallSetVector<const Function *, 16> Work;
  Work.insert(F);
  bool IsKnown = true;
  for (size_t Next = 0; Next < Work.size() && Next < MostFunctions; ++Next)
    for (const User *U : Work[Next]->users()) {
      auto *Call = dyn_cast<CallBase>(U);
      // Copies in which loops are looked for are no code of the program.
      if (Call && Call->getFunction()->getName().starts_with("polyrs."))
        continue;
      if (!Call || Call->getCalledFunction() != Work[Next]) {
        IsKnown = false;
        continue;
      }
      auto [At, Called] = polyrsInUsersFile(Call->getDebugLoc().get());
      if (!At) {
        IsKnown &= Call->getFunction()->isDiscardableIfUnused();
        Work.insert(Call->getFunction());
      } else if (M->Outermost.size() < MostCalls) {
        PolyrsText Caller;
        polyrs_function_shown(Call->getFunction(), &Caller);
        std::string Name = polyrsLibraryName(Called ? Called : Work[Next]->getSubprogram());
        M->Outermost.push_back({DebugLoc(At), false, DebugLoc(), Caller.Text + '\n' + Name});
      }
    }
  *IsUnused = IsKnown && M->Outermost.empty() && Work.size() < MostFunctions;
  return M->Outermost.size();
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

// The first place of what a loop holds, where the loop itself has that of the function's own line: flang gives it to
// the loops of `where` and of expressions on arrays.
static const DILocation *withinFunction(const DILocation *Start, const Loop &L) {
  const DISubprogram *In = Start ? Start->getScope()->getSubprogram() : nullptr;
  if (!In || Start->getLine() != In->getLine() || Start->getColumn() > 1)
    return Start;
  auto Place = [](const DILocation *Loc) { return std::pair(Loc->getLine(), Loc->getColumn()); };
  const DILocation *First = nullptr;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      const DILocation *At = I.getDebugLoc().get();
      bool IsInside = At && At->getScope()->getSubprogram() == In && Place(At) > Place(Start);
      if (IsInside && (!First || Place(At) < Place(First)))
        First = At;
    }
  return First ? First : Start;
}

// Where a loop begins: flang and rustc give the branch back to its header the loop's place, that in front of it perhaps
// the place of a loop inside.
static const DILocation *startOf(const Loop &L) {
  if (const DILocation *Label = labelOf(L))
    return Label;
  const DILocation *Start = polyrsInOwnFile(L.getStartLoc().get());
  const BasicBlock *Latch = L.getLoopLatch();
  const DILocation *Back = Latch ? polyrsInOwnFile(Latch->getTerminator()->getDebugLoc().get()) : nullptr;
  if (!Back || Back->getLine() == 0)
    return Start;
  auto Place = [](const DILocation *Loc) { return std::pair(Loc->getLine(), Loc->getColumn()); };
  // Lines of a function that was inlined into the loop say nothing of where that is.
  auto Depth = [](const DILocation *Loc) {
    unsigned Found = 0;
    for (; Loc->getInlinedAt(); Loc = Loc->getInlinedAt())
      ++Found;
    return Found;
  };
  if (Start && Depth(Back) != Depth(Start))
    return Depth(Back) < Depth(Start) ? Back : Start;
  bool IsEarlier = !Start || (Back->getFile() == Start->getFile() && Place(Back) < Place(Start));
  return IsEarlier ? Back : Start;
}

const DILocation *polyrsStartOf(const Loop &L) { return withinFunction(startOf(L), L); }

// The variable of the source that a value of a loop's header is, in some width; nothing where it is none. Variables of
// what was inlined into the loop may have its value as well: `InlinedAt` says where the loop itself was.
static StringRef variableOf(PHINode &Counter, const DILocation *InlinedAt) {
  SmallVector<DbgVariableRecord *, 4> Records, Next;
  findDbgValues(&Counter, Records);
  // An inner loop's variable that starts at the counter has its value too, but not the counter's next one.
  for (Value *Incoming : Counter.incoming_values())
    if (auto *Step = dyn_cast<Instruction>(Incoming))
      findDbgValues(Step, Next);
  auto IsStepped = [&](const DbgVariableRecord *Record) {
    return any_of(Next, [&](auto *Other) { return DebugVariable(Other) == DebugVariable(Record); });
  };
  std::stable_partition(Records.begin(), Records.end(), IsStepped);
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
