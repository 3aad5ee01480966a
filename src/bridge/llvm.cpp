// The plugin's C++ side: pass registration, command-line options, remarks.
//
// Decisions are made in Rust: everything here asks one of the functions in `PolyrsHooks`, which never unwind.

#include "bridge/bridge.h"
#include "bridge/conditions.h"
#include "bridge/deferred.h"
#include "bridge/unread.h"

#include "llvm/ADT/Any.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/GlobalsModRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"

#include <memory>

using namespace llvm;

// Where in a pipeline the pass may stand; mirrored by `Place` in `plugin.rs`.
enum class Place : uint32_t { Early = 0, BeforeVectorizer = 1, LinkTime = 2 };

// The upward calls. Names and parameters are borrowed for the call.
struct PolyrsHooks {
  // Whether the pass runs at this place of an optimization pipeline.
  bool (*WantsPlace)(uint32_t Place);
  // Whether `Name` (a pass name with its `<parameters>`) is one of ours; `Error` is filled if it is and is malformed.
  bool (*KnowsPass)(PolyrsStr Name, PolyrsText *Error);
  // Runs the pass of this name; true if the module changed.
  bool (*Run)(PolyrsStr Name, PolyrsModule *M);
  // One occurrence of an option on the command line; `Error` is filled if the value is malformed.
  void (*OptionSeen)(uint32_t Index, PolyrsStr Value, PolyrsText *Error);
  // The option's occurrences so far are forgotten.
  void (*OptionReset)(uint32_t Index);
};

namespace {

PolyrsHooks Hooks;

// An LLVM command-line option whose values are kept and checked by Rust.
class TableOption : public cl::Option {
  uint32_t Index;
  bool IsFlag;

  bool handleOccurrence(unsigned Position, StringRef ArgName, StringRef Value) override {
    PolyrsText Error;
    Hooks.OptionSeen(Index, polyrsStr(Value), &Error);
    return !Error.Text.empty() && error(Error.Text, ArgName);
  }
  cl::ValueExpected getValueExpectedFlagDefault() const override { return IsFlag ? cl::ValueOptional : cl::ValueRequired; }
  size_t getOptionWidth() const override { return ArgStr.size() + ValueStr.size() + 6; }
  void printOptionInfo(size_t GlobalWidth) const override {
    outs() << "  -" << ArgStr;
    if (!ValueStr.empty())
      outs() << "=<" << ValueStr << ">";
    size_t Used = ArgStr.size() + 3 + (ValueStr.empty() ? 0 : ValueStr.size() + 3);
    printHelpStr(HelpStr, GlobalWidth, Used);
  }
  void printOptionValue(size_t GlobalWidth, bool Force) const override {}
  void setDefault() override { Hooks.OptionReset(Index); }

public:
  TableOption(uint32_t Index, bool IsFlag, StringRef Name, StringRef Value, StringRef Help, cl::OptionCategory &Category)
      : Option(cl::ZeroOrMore, cl::NotHidden), Index(Index), IsFlag(IsFlag) {
    setArgStr(Name);
    setDescription(Help);
    setValueStr(Value);
    addCategory(Category);
    addArgument();
  }
};

// What no option of the table is called: "polyrs-" takes all names that begin so, and Rust knows which one is near.
class UnknownOption : public cl::Option {
  uint32_t Index;

  bool handleOccurrence(unsigned Position, StringRef ArgName, StringRef Value) override {
    PolyrsText Error;
    Hooks.OptionSeen(Index, polyrsStr(Value), &Error);
    return error(Error.Text, (ArgName + Value.split('=').first).str());
  }
  cl::ValueExpected getValueExpectedFlagDefault() const override { return cl::ValueRequired; }
  size_t getOptionWidth() const override { return 0; }
  void printOptionInfo(size_t GlobalWidth) const override {}
  void printOptionValue(size_t GlobalWidth, bool Force) const override {}
  void setDefault() override {}

public:
  UnknownOption(uint32_t Index, StringRef Name) : Option(cl::ZeroOrMore, cl::ReallyHidden), Index(Index) {
    setArgStr(Name);
    setFormattingFlag(cl::Prefix);
    addArgument();
  }
};

// Whether a text begins like ours, but for case, blanks, or one letter.
bool looksLikeOurs(StringRef Text) {
  StringRef Word = Text.trim().take_while([](char C) { return isAlnum(C); });
  return StringRef(Word.lower()).edit_distance("polyrs") <= 1;
}

StringRef textOf(const Value *Pointer) {
  auto *Name = dyn_cast<GlobalVariable>(Pointer->stripPointerCasts());
  auto *Data = Name && Name->hasInitializer() ? dyn_cast<ConstantDataSequential>(Name->getInitializer()) : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : "";
}

// Text, file and line of an annotation, as they stand in the list of a module and in a call.
PolyrsSaid saidOf(const Value *Text, const Value *File, const Value *Line) {
  PolyrsSaid Said;
  Said.Text = textOf(Text).str();
  Said.File = textOf(File).str();
  if (auto *Number = dyn_cast<ConstantInt>(Line))
    Said.Line = Number->getZExtValue();
  return Said;
}

// The entries of the module's list of annotated functions and variables: { function, text, file, line, arguments }.
SmallVector<const ConstantStruct *, 8> annotated(const Module &M) {
  SmallVector<const ConstantStruct *, 8> Entries;
  auto *Annotations = M.getGlobalVariable("llvm.global.annotations");
  auto *List = Annotations && Annotations->hasInitializer() ? dyn_cast<ConstantArray>(Annotations->getInitializer()) : nullptr;
  if (!List)
    return Entries;
  for (const Use &Entry : List->operands())
    if (auto *Fields = dyn_cast<ConstantStruct>(Entry); Fields && Fields->getNumOperands() >= 4)
      Entries.push_back(Fields);
  return Entries;
}

// What "annotate" attributes of clang say to this pass, per function.
PolyrsAnnotations annotations(const Module &M) {
  PolyrsAnnotations Found;
  for (const ConstantStruct *Fields : annotated(M)) {
    auto *F = dyn_cast<Function>(Fields->getOperand(0)->stripPointerCasts());
    StringRef Text = F ? textOf(Fields->getOperand(1)) : "";
    bool IsOurs = Text.consume_front("polyrs:");
    if (!IsOurs && !looksLikeOurs(Text))
      continue;
    PolyrsSaid &All = Found[F];
    All.IsOurs |= IsOurs;
    if (IsOurs)
      All.Text += (All.Text.empty() ? "" : ";") + Text.str();
    else
      All.Odd += Text.str() + "\n";
    PolyrsSaid Said = saidOf(Fields->getOperand(1), Fields->getOperand(2), Fields->getOperand(3));
    DISubprogram *SP = F->getSubprogram();
    All.File = Said.File;
    All.Line = SP ? SP->getLine() : Said.Line;
  }
  return Found;
}

// Annotations meant for this pass that stand at variables, where nobody looks for them.
PolyrsStrays strays(const Module &M) {
  PolyrsStrays Found;
  for (const ConstantStruct *Fields : annotated(M))
    if (auto *G = dyn_cast<GlobalVariable>(Fields->getOperand(0)->stripPointerCasts()))
      if (looksLikeOurs(textOf(Fields->getOperand(1))))
        Found.emplace_back(G, saidOf(Fields->getOperand(1), Fields->getOperand(2), Fields->getOperand(3)));
  for (const Function &Declared : M) {
    if (Declared.getIntrinsicID() != Intrinsic::var_annotation)
      continue;
    for (const User *U : Declared.users())
      if (auto *Call = dyn_cast<CallInst>(U); Call && looksLikeOurs(textOf(Call->getArgOperand(1))))
        Found.emplace_back(Call->getFunction(), saidOf(Call->getArgOperand(1), Call->getArgOperand(2), Call->getArgOperand(3)));
  }
  return Found;
}

// Whether a pointer of the module's own leads to memory that was allocated for it: alias analysis then knows that no
// other pointer does, if it is asked to look at the whole module.
bool ownsMemory(const Module &M) {
  auto IsAllocated = [](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && isNoAliasCall(getUnderlyingObject(Store->getValueOperand()));
  };
  return any_of(M.globals(), [&](const GlobalVariable &G) {
    return G.hasLocalLinkage() && G.getValueType()->isPointerTy() && !G.isConstant() && any_of(G.users(), IsAllocated);
  });
}

bool isClosed(StringRef Name) { return Name.count('<') <= Name.count('>'); }

struct PolyrsPass : PassInfoMixin<PolyrsPass> {
  // Shared with the parser while the text of the pass is incomplete, see `parsePass`.
  std::shared_ptr<std::string> Name;
  // Whether modules are linked ones.
  bool IsLinked;
  // Whether a `ResumePass` follows.
  bool MayDefer;
  explicit PolyrsPass(std::shared_ptr<std::string> Name, bool IsLinked = false, bool MayDefer = false)
      : Name(std::move(Name)), IsLinked(IsLinked), MayDefer(MayDefer) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!isClosed(*Name))
      report_fatal_error("polyrs: '>' is missing after the pass parameters in '" + Twine(*Name) + "'", /*gen_crash_diag=*/false);
    if (ownsMemory(M))
      (void)MAM.getResult<GlobalsAA>(M);
    PolyrsModule Context(M, MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager());
    Context.Annotations = annotations(M);
    Context.Strays = strays(M);
    Context.IsLinked = IsLinked;
    Context.MayDefer = MayDefer;
    bool Changed = Hooks.Run(polyrsStr(*Name), &Context);
    polyrsRestoreModule(Context);
    if (!Changed)
      return PreservedAnalyses::all();
    polyrsMergeWritten(M, Context.FAM);
    PreservedAnalyses Preserved;
    Preserved.preserve<FunctionAnalysisManagerModuleProxy>();
    return Preserved;
  }
  static bool isRequired() { return false; }
  static StringRef name() { return "PolyrsPass"; }
};

// See opaque.cpp, faults.cpp, whole_stores.cpp and alignment.cpp; takes away what is in the way of nothing but
// vectorizers, too.
struct BeforeCodeGenerationPass : PassInfoMixin<BeforeCodeGenerationPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsLetTogether(F) | polyrsShowAccesses(F);
    Changed |= polyrsShowConditions(F, [](const CallInst &) { return true; }, /*AreLong=*/true);
    if (!F.hasFnAttribute("polyrs-done"))
      return polyrsPreservedAfter(Changed);
    Changed |= polyrsAvoidFaults(F, FAM.getResult<TargetIRAnalysis>(F));
    if (!F.hasFnAttribute(PolyrsWritten)) {
      auto &LI = FAM.getResult<LoopAnalysis>(F);
      Changed |= polyrsHideStarts(F, LI) | polyrsStoreWhole(F, LI) | polyrsAlignLoops(F, LI);
    }
    return polyrsPreservedAfter(Changed);
  }
};

// See chains.cpp and blocks.cpp. New loops may have been inlined into functions that have no other mark of ours.
struct BeforeVectorizerPass : PassInfoMixin<BeforeVectorizerPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    if (none_of(LI.getLoopsInPreorder(), [](const Loop *L) { return polyrsIsWrittenNew(*L); }))
      return PreservedAnalyses::all();
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &Target = FAM.getResult<TargetIRAnalysis>(F);
    bool Changed = polyrsKeepApart(F, LI, SE, Target) | polyrsHideAccesses(LI, SE);
    return polyrsPreservedAfter(Changed);
  }
};

// Whether a pass may run on `Unit`. New loops are rotated, and none is dead if nobody removed what it writes. On those
// that hold others two more passes would spend most of the time without making them better: these count up in i64 to a
// bound that is known before, as induction variables are simplified to be, and a condition around inner loops stands
// where it costs least, while unswitching copies all that is inside. Innermost loops gain: their exit tests become
// cheaper, and conditions of the user's stand there.
//
// Functions that are written as a whole, in the form that LLVM's code generation wants, are left alone: by passes over
// their loops as well, which expect what passes over functions have made of them.
bool mayRun(StringRef Pass, const Any &Unit) {
  auto IsWritten = [](const Function &F) { return F.hasFnAttribute(PolyrsWritten); };
  auto *F = any_cast<const Function *>(&Unit);
  auto *L = any_cast<const Loop *>(&Unit);
  if ((F && IsWritten(**F)) || (L && IsWritten(*(*L)->getHeader()->getParent())))
    return false;
  bool IsDeletion = Pass == LoopDeletionPass::name(), IsShaping = IsDeletion || Pass == LoopRotatePass::name();
  if (!L || (!IsShaping && Pass != SimpleLoopUnswitchPass::name() && Pass != IndVarSimplifyPass::name()))
    return true;
  bool MayBeDead = IsDeletion && (*L)->getHeader()->getParent()->hasFnAttribute(PolyrsRemovedUnread);
  return (!IsShaping && (*L)->isInnermost()) || MayBeDead || !polyrsIsWrittenNew(**L);
}

// Where nothing but machine code is made any more.
void addLast(ModulePassManager &MPM, OptimizationLevel Level) {
  if (Hooks.WantsPlace(static_cast<uint32_t>(Place::LinkTime)) && Level != OptimizationLevel::O0)
    MPM.addPass(createModuleToFunctionPassAdaptor(BeforeCodeGenerationPass()));
}

void addAt(ModulePassManager &MPM, Place P, ThinOrFullLTOPhase Phase) {
  bool IsLinked = Phase == ThinOrFullLTOPhase::ThinLTOPostLink || Phase == ThinOrFullLTOPhase::FullLTOPostLink;
  if (Hooks.WantsPlace(static_cast<uint32_t>(P)))
    MPM.addPass(PolyrsPass(std::make_shared<std::string>("polyrs"), IsLinked, /*MayDefer=*/P == Place::Early));
}

// Parses one element of `-passes=`. LLVM cuts the text at every comma, so that `polyrs<tile-sizes=8,8>` arrives as two
// elements: the pass is made at the first and its name completed by the following ones.
bool parsePass(StringRef Element, ModulePassManager &MPM) {
  static thread_local std::shared_ptr<std::string> Open;
  bool IsStart = Element.starts_with("polyrs") || Element.starts_with("print<polyrs-");
  if (IsStart)
    Open = std::make_shared<std::string>(Element.str());
  else if (Open)
    Open->append(",").append(Element);
  else {
    // LLVM says that it knows no such pass; it may ask several times.
    static thread_local StringSet<> Told;
    if (looksLikeOurs(Element) && Told.insert(Element).second)
      errs() << "polyrs: no pass '" << Element << "': did you mean 'polyrs'?\n";
    return false;
  }
  bool Closed = isClosed(*Open);
  PolyrsText Error;
  if (Closed && !Hooks.KnowsPass(polyrsStr(*Open), &Error))
    return false;
  if (!Error.Text.empty()) {
    errs() << "polyrs: " << Error.Text << "\n";
    return false;
  }
  if (IsStart)
    MPM.addPass(PolyrsPass(Open));
  if (Closed)
    Open.reset();
  return true;
}

// A debug location at `File:Line:Column` inside `SP`; the subprogram's own line if `Line` is 0.
DebugLoc locationIn(DISubprogram *SP, StringRef File, unsigned Line, unsigned Column) {
  LLVMContext &Context = SP->getContext();
  if (Line == 0)
    return DILocation::get(Context, SP->getLine(), 0, SP);
  DILocalScope *Scope = SP;
  if (!File.empty() && File != SP->getFilename())
    // The file is named as the unit names it: a function of a library may lie elsewhere.
    Scope = DILexicalBlockFile::get(
        Context, SP, DIFile::get(Context, File, (SP->getUnit() ? SP->getUnit()->getFile() : SP->getFile())->getDirectory()), 0);
  return DILocation::get(Context, Line, Column, Scope);
}

} // namespace

bool polyrsIsWrittenNew(const Loop &L) { return findOptionMDForLoop(&L, PolyrsWrittenNew); }

bool polyrsIsOptedOut(const PolyrsModule &M, const Function &F) {
  auto Found = M.Annotations.find(&F);
  if (F.hasFnAttribute("polyrs-off") || Found == M.Annotations.end())
    return F.hasFnAttribute("polyrs-off");
  // Of both, the last one counts.
  bool Off = false;
  for (StringRef Item : split(Found->second.Text, ";"))
    Off = Item.trim() == "off" || (Off && Item.trim() != "on");
  return Off;
}

// Registers the pass with `PB`.
POLYRS_EXPORT void polyrs_register_passes(PassBuilder *PB) {
  if (PassInstrumentationCallbacks *Callbacks = PB->getPassInstrumentationCallbacks())
    Callbacks->registerShouldRunOptionalPassCallback(mayRun);
  PB->registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement> Inner) {
        return Inner.empty() && parsePass(Name, MPM);
      });
  PB->registerPipelineParsingCallback([](StringRef Name, FunctionPassManager &, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name == "polyrs" || Name.starts_with("polyrs<"))
      errs() << "polyrs: a pass of modules: passes of functions around it stand in function(...), as in "
                "-passes='function(mem2reg),polyrs'\n";
    return false;
  });
  PB->registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
        if (Level != OptimizationLevel::O0)
          addAt(MPM, Place::Early, Phase);
      });
  PB->registerPeepholeEPCallback([](FunctionPassManager &FPM, OptimizationLevel) {
    if (Hooks.WantsPlace(static_cast<uint32_t>(Place::Early)))
      FPM.addPass(ShowDecidedPass());
  });
  PB->registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Level == OptimizationLevel::O0)
      return;
    if (Hooks.WantsPlace(static_cast<uint32_t>(Place::Early)))
      MPM.addPass(ResumePass());
    addAt(MPM, Place::BeforeVectorizer, Phase);
  });
  PB->registerVectorizerStartEPCallback([](FunctionPassManager &FPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      FPM.addPass(BeforeVectorizerPass());
  });
  PB->registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Phase != ThinOrFullLTOPhase::ThinLTOPreLink && Phase != ThinOrFullLTOPhase::FullLTOPreLink)
      addLast(MPM, Level);
  });
  PB->registerFullLinkTimeOptimizationLastEPCallback(addLast);
  PB->registerFullLinkTimeOptimizationEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      addAt(MPM, Place::LinkTime, ThinOrFullLTOPhase::FullLTOPostLink);
  });
}

// Makes the upward calls known; to be called first, once per process.
POLYRS_EXPORT void polyrs_set_hooks(const PolyrsHooks *H) { Hooks = *H; }

// Registers one command-line option. All strings must live for ever; to be called once per name and process.
POLYRS_EXPORT void polyrs_register_option(uint32_t Index, bool IsFlag, PolyrsStr Name, PolyrsStr Value, PolyrsStr Help) {
  static auto *Category = new cl::OptionCategory("polyrs options", "Polyhedral loop optimization");
  new TableOption(Index, IsFlag, stringRef(Name), stringRef(Value), stringRef(Help), *Category);
}

// Registers what is told of options that begin with "polyrs-" and are none. To be called once per process.
POLYRS_EXPORT void polyrs_register_unknown(uint32_t Index) { new UnknownOption(Index, "polyrs-"); }

POLYRS_EXPORT PolyrsText *polyrs_text_new() { return new PolyrsText; }
POLYRS_EXPORT void polyrs_text_free(PolyrsText *Text) { delete Text; }
POLYRS_EXPORT PolyrsStr polyrs_text_get(const PolyrsText *Text) { return polyrsStr(Text->Text); }
POLYRS_EXPORT void polyrs_text_append(PolyrsText *Text, PolyrsStr More) { Text->Text.append(More.Data, More.Length); }

POLYRS_EXPORT uint32_t polyrs_module_pointer_bits(const PolyrsModule *M) { return M->M.getDataLayout().getPointerSizeInBits(); }

// Whether anybody reads remarks: without a reader nothing needs to be found out for its own sake.
POLYRS_EXPORT bool polyrs_module_has_remarks(const PolyrsModule *M) {
  LLVMContext &Context = M->M.getContext();
  return Context.getLLVMRemarkStreamer() || Context.getDiagHandlerPtr()->isAnyRemarkEnabled("polyrs");
}

POLYRS_EXPORT void polyrs_module_work(const PolyrsModule *M, PolyrsWork *Out) { *Out = M->Work; }

POLYRS_EXPORT size_t polyrs_module_annotations(const PolyrsModule *M) { return M->Annotations.size() + M->Strays.size(); }

// What annotations stand at; by number in `ffi.rs`.
enum PolyrsAnnotated : uint8_t { OnFunction, OnLocalVariable, OnGlobalVariable };

// What is said of a function, with its name, or at a variable; mirrored by `PolyrsSaidOf` in `ffi.rs`.
struct PolyrsSaidOf {
  PolyrsStr Name, Text, Odd, File;
  uint32_t Line;
  bool IsOurs;
  PolyrsAnnotated Place;
};

static void tellSaid(const GlobalValue &Of, const PolyrsSaid &Said, PolyrsAnnotated Place, PolyrsSaidOf &Out) {
  Out = {polyrsStr(Of.getName()), polyrsStr(Said.Text), polyrsStr(Said.Odd), polyrsStr(Said.File), Said.Line, Said.IsOurs, Place};
}

// Annotation `Index`, below the count: those of functions in the order of the module's list, then those of variables.
POLYRS_EXPORT void polyrs_module_annotation(const PolyrsModule *M, size_t Index, PolyrsSaidOf *Out) {
  if (Index < M->Annotations.size()) {
    const auto &[F, Said] = *std::next(M->Annotations.begin(), Index);
    return tellSaid(*F, Said, OnFunction, *Out);
  }
  const auto &[Of, Said] = M->Strays[Index - M->Annotations.size()];
  tellSaid(*Of, Said, isa<Function>(Of) ? OnLocalVariable : OnGlobalVariable, *Out);
}

// Whether the module is one of rustc's, which shows no message of ours and makes several modules of a crate.
static bool isRusts(const Module &M) {
  const NamedMDNode *Idents = M.getNamedMetadata("llvm.ident");
  if (!Idents || Idents->getNumOperands() == 0 || Idents->getOperand(0)->getNumOperands() == 0)
    return false;
  auto *Text = dyn_cast<MDString>(Idents->getOperand(0)->getOperand(0));
  return Text && Text->getString().starts_with("rustc");
}

// Whether the module is all of a source file: what is not in it is nowhere in that file.
POLYRS_EXPORT bool polyrs_module_is_whole(const PolyrsModule *M) { return !M->IsLinked && !isRusts(M->M); }

POLYRS_EXPORT PolyrsStr polyrs_module_source(const PolyrsModule *M) { return polyrsStr(M->M.getSourceFileName()); }

POLYRS_EXPORT bool polyrs_module_defines(const PolyrsModule *M, PolyrsStr Name) {
  const Function *F = M->M.getFunction(stringRef(Name));
  return F && !F->isDeclaration();
}

// Tells the user of something that looks like a mistake.
POLYRS_EXPORT void polyrs_module_warn(PolyrsModule *M, PolyrsStr Message) {
  if (isRusts(M->M))
    errs() << "warning: polyrs: " << stringRef(Message) << "\n";
  else
    M->M.getContext().diagnose(DiagnosticInfoGeneric(Twine("polyrs: ") + stringRef(Message), DS_Warning));
}

// Tells the user of a mistake: compilation fails, as far as the host has a say.
POLYRS_EXPORT void polyrs_module_error(PolyrsModule *M, PolyrsStr Message) {
  if (isRusts(M->M))
    report_fatal_error(Twine("polyrs: ") + stringRef(Message), /*gen_crash_diag=*/false);
  M->M.getContext().diagnose(DiagnosticInfoGeneric(Twine("polyrs: ") + stringRef(Message), DS_Error));
}

POLYRS_EXPORT PolyrsStr polyrs_function_name(const Function *F) { return polyrsStr(F->getName()); }

// Attributes that decide whether a function is looked at; mirrored by `Traits` in `module.rs`.
struct PolyrsTraits {
  bool OptNone, MinSize, OptSize, OptedOut, Done, MayDefer;
  uint32_t Instructions;
};

POLYRS_EXPORT void polyrs_function_traits(const PolyrsModule *M, const Function *F, PolyrsTraits *Out) {
  Out->OptNone = F->hasOptNone();
  Out->MinSize = F->hasMinSize();
  Out->OptSize = F->hasOptSize();
  Out->OptedOut = polyrsIsOptedOut(*M, *F);
  Out->Done = F->hasFnAttribute("polyrs-done");
  Out->MayDefer = M->MayDefer && !F->hasMinSize() && !F->hasOptSize();
  Out->Instructions = F->getInstructionCount();
}

// Emits one remark about `F`: `Message`, then `Count` parts, those with a key as arguments of that name.
// Kind: 0 passed, 1 missed, 2 analysis. Line 0 = the function as a whole.
POLYRS_EXPORT void polyrs_remark(PolyrsModule *M, Function *F, uint32_t Kind, PolyrsStr Name, PolyrsStr File, uint32_t Line,
                                 uint32_t Column, PolyrsStr Message, const PolyrsStr *Keys, const PolyrsStr *Values,
                                 size_t Count) {
  auto &ORE = M->FAM.getResult<OptimizationRemarkEmitterAnalysis>(*F);
  DISubprogram *SP = F->getSubprogram();
  DiagnosticLocation Where = SP ? DiagnosticLocation(locationIn(SP, stringRef(File), Line, Column)) : DiagnosticLocation();
  const BasicBlock *Region = &F->getEntryBlock();
  StringRef RemarkName = stringRef(Name);
  auto Emit = [&](auto Remark) {
    if (Message.Length)
      Remark << stringRef(Message);
    for (size_t I = 0; I != Count; ++I) {
      if (Keys[I].Length)
        Remark << ore::NV(stringRef(Keys[I]), stringRef(Values[I]));
      else
        Remark << stringRef(Values[I]);
    }
    ORE.emit(Remark);
  };
  switch (Kind) {
  case 0:
    return Emit(OptimizationRemark("polyrs", RemarkName, Where, Region));
  case 1:
    return Emit(OptimizationRemarkMissed("polyrs", RemarkName, Where, Region));
  default:
    return Emit(OptimizationRemarkAnalysis("polyrs", RemarkName, Where, Region));
  }
}

// Fills `Error` if the pattern is not a regular expression.
POLYRS_EXPORT void polyrs_regex_error(PolyrsStr Pattern, PolyrsText *Error) { Regex(stringRef(Pattern)).isValid(Error->Text); }

POLYRS_EXPORT bool polyrs_regex_matches(PolyrsStr Pattern, PolyrsStr Text) {
  return Regex(stringRef(Pattern)).match(stringRef(Text));
}

// Ends the process the way LLVM's tools do on an error in their input.
POLYRS_EXPORT void polyrs_fatal(PolyrsStr Message) {
  report_fatal_error(Twine("polyrs: ") + stringRef(Message), /*gen_crash_diag=*/false);
}
