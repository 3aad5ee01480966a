// What values are called in the user's source.

#include "bridge/bridge.h"
#include "bridge/places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/Value.h"

#include <algorithm>
#include <cstdlib>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Most loads, members and subscripts that one expression has.
constexpr unsigned MAX_DEPTH = 8;

// A name of flang's: `_QMmodule_nameFcallerPname`, in lower case, with `F` and `P` in front of procedures and `M` in
// front of modules; nothing for others.
std::string ofFortran(StringRef Name) {
  std::string Found;
  if (!Name.consume_front("_Q"))
    return Found;
  while (!Name.empty()) {
    if (!StringRef("MSFP").contains(Name.front()))
      return "";
    StringRef Part = Name.drop_front().take_until([](char C) { return isUpper(C); });
    Found += (Found.empty() ? "" : "::") + Part.str();
    Name = Name.drop_front(1 + Part.size());
  }
  return StringRef(Found).starts_with("QQ") ? "" : Found;
}

// A name without the hash that rustc puts at its end: `::h` and 16 hexadecimal digits.
StringRef withoutHash(StringRef Name) {
  auto [Before, Hash] = Name.rsplit("::h");
  bool IsHash = Hash.size() == 16 && all_of(Hash, isHexDigit);
  return IsHash ? Before : Name;
}

// What flang calls to read and to write.
StringRef statementOfFortran(StringRef Symbol) {
  if (!Symbol.starts_with("_FortranAio"))
    return "";
  return Symbol.contains("Input") ? "read" : Symbol.contains("Output") ? "print" : "write";
}

// A name without the types that it has as parameters, where it is long with them.
std::string withoutTypes(StringRef Name) {
  // Characters of a name that is told whole.
  constexpr size_t MostCharacters = 80;
  if (Name.size() <= MostCharacters)
    return Name.str();
  std::string Found;
  unsigned Depth = 0;
  bool IsFirst = true;
  for (size_t At = 0; At < Name.size(); ++At) {
    // What Rust calls a method of a type is in `<>` itself.
    bool IsOwn = IsFirst || StringRef(Found).ends_with("as ");
    bool IsArrow = Name[At] == '>' && At > 0 && Name[At - 1] == '-';
    if (Name[At] == '<' && !IsOwn && Depth++ == 0)
      Found += "<..>";
    if (Depth == 0)
      Found += Name[At];
    if (Name[At] == '>' && !IsArrow && Depth > 0)
      --Depth;
    IsFirst = false;
  }
  return Found;
}

// What a function is called in its source, without its parameters.
std::string shownName(StringRef Symbol) {
  if (Symbol == "_QQmain")
    return "main program";
  if (StringRef Statement = statementOfFortran(Symbol); !Statement.empty())
    return Statement.str();
  // What the compiler makes of the loops of a parallel region is of the function around.
  if (auto [Around, Rest] = Symbol.split(".omp_outlined"); !Around.empty() && Around.size() < Symbol.size())
    return shownName(Around) + ", parallel region";
  if (std::string Known = ofFortran(Symbol); !Known.empty())
    return Known;
  if (Symbol.starts_with("_Z")) {
    ItaniumPartialDemangler Parts;
    std::string Whole = Symbol.str();
    if (!Parts.partialDemangle(Whole.c_str()) && Parts.isFunction())
      if (char *Name = Parts.getFunctionName(nullptr, nullptr)) {
        std::string Found = withoutTypes(withoutHash(Name));
        std::free(Name);
        return Found;
      }
  }
  return withoutTypes(withoutHash(demangle(Symbol)));
}

// What flang calls the sizes of arrays: of `._QFsubEa1` the source's `size(a, 1)`; other names as they are.
std::string sizeInFortran(StringRef Name) {
  if (!Name.starts_with("._Q"))
    return Name.str();
  StringRef Array = Name.rsplit('E').second;
  StringRef Plain = Array.rtrim("0123456789");
  if (Plain.empty() || Plain.size() == Array.size())
    return Name.str();
  return ("size(" + Plain + ", " + Array.drop_front(Plain.size()) + ")").str();
}

// An expression of the source and its type; no text: nothing is known.
struct Said {
  std::string Text;
  const DIType *Type = nullptr;
};

const DIType *withoutNames(const DIType *Type) {
  auto *Derived = dyn_cast_or_null<DIDerivedType>(Type);
  while (Derived && (Derived->getTag() == dwarf::DW_TAG_typedef || Derived->getTag() == dwarf::DW_TAG_const_type ||
                     Derived->getTag() == dwarf::DW_TAG_volatile_type ||
                     Derived->getTag() == dwarf::DW_TAG_restrict_type || Derived->getTag() == dwarf::DW_TAG_atomic_type)) {
    Type = Derived->getBaseType();
    Derived = dyn_cast_or_null<DIDerivedType>(Type);
  }
  return Type;
}

bool isReference(const DIDerivedType &Pointer) {
  // Rust's references are pointers with such names.
  return Pointer.getTag() != dwarf::DW_TAG_pointer_type || Pointer.getName().starts_with("&");
}

// The type that a pointer or a reference leads to.
const DIDerivedType *pointerOf(const DIType *Type) {
  auto *Derived = dyn_cast_or_null<DIDerivedType>(withoutNames(Type));
  bool IsPointer =
      Derived && (Derived->getTag() == dwarf::DW_TAG_pointer_type ||
                  Derived->getTag() == dwarf::DW_TAG_reference_type ||
                  Derived->getTag() == dwarf::DW_TAG_rvalue_reference_type);
  return IsPointer ? Derived : nullptr;
}

// What of `Bytes` bytes lies `Offset` bytes behind where `Whole` begins.
Said partOf(const Said &Whole, uint64_t Offset, uint64_t Bytes, StringRef Dot = ".", unsigned Depth = MAX_DEPTH) {
  const DIType *Type = withoutNames(Whole.Type);
  if (!Type || Depth == 0)
    return {};
  auto *Composite = dyn_cast<DICompositeType>(Type);
  if (!Composite)
    return Offset == 0 && Type->getSizeInBits() == Bytes * 8 ? Whole : Said();
  // Of a vector of the C++ library other files hold the members.
  if (Composite->isForwardDecl() && Composite->getName().starts_with("vector<") && (Offset == 0 || Offset == Bytes))
    return {Whole.Text + Dot.str() + (Offset == 0 ? "data()" : "end()"), nullptr};
  if (Composite->getTag() == dwarf::DW_TAG_array_type || Composite->getTag() == dwarf::DW_TAG_union_type)
    return {};
  for (const DINode *Element : Composite->getElements()) {
    auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
    if (!Member || Member->isStaticMember() || Member->isBitField())
      continue;
    bool IsBase = Member->getTag() == dwarf::DW_TAG_inheritance;
    if (Member->getTag() != dwarf::DW_TAG_member && !IsBase)
      continue;
    const DIType *Of = withoutNames(Member->getBaseType());
    uint64_t Begin = Member->getOffsetInBits() / 8;
    uint64_t Size = Of ? Of->getSizeInBits() / 8 : 0;
    if (Offset < Begin || Offset >= Begin + Size)
      continue;
    bool IsInside = !IsBase && !Member->getName().empty();
    std::string Text = IsInside ? Whole.Text + Dot.str() + Member->getName().str() : Whole.Text;
    // An empty base begins where the first member does.
    if (Said Part = partOf({Text, Of}, Offset - Begin, Bytes, IsInside ? "." : Dot, Depth - 1); !Part.Text.empty())
      return Part;
  }
  return {};
}

// What the debug information says of a value: variables of the function itself first, then those of what was inlined,
// where `self` of a vector's length is some other object's member.
SmallVector<DbgVariableRecord *, 4> recordsOf(Value *Of) {
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgValues(Of, Records);
  // A counter that another one starts from is its own variable where it is computed.
  if (auto *Computed = dyn_cast<Instruction>(Of))
    std::stable_partition(Records.begin(), Records.end(), [&](const DbgVariableRecord *Record) { return Record->getParent() == Computed->getParent(); });
  std::stable_partition(Records.begin(), Records.end(), [](const DbgVariableRecord *Record) { return !Record->getDebugLoc().getInlinedAt(); });
  return Records;
}

// Whether a variable is of a library's function: its users have no such name.
bool isOfLibrary(const DbgVariableRecord &Record) {
  const DILocalVariable *Known = Record.getVariable();
  // `this` has no file.
  return polyrsIsInstalled(Known->getFile() ? Known->getFile() : Known->getScope()->getFile());
}

// Whether a variable is one of those that C++ makes of a loop over a range: no source has them.
bool isOfRange(const DILocalVariable &Known) {
  return any_of(ArrayRef<StringRef>{"__begin", "__end", "__range"}, [&](StringRef Start) { return Known.getName().starts_with(Start); });
}

// Whether a variable is the iterator of a loop in Rust's source, which has no name there.
bool isOfLoop(const DILocalVariable &Known) {
  auto *Composite = dyn_cast_or_null<DICompositeType>(withoutNames(Known.getType()));
  return Known.getName() == "iter" && Composite && Composite->getIdentifier().size() == 32 && Composite->getName().contains('<');
}

Said variable(Value *Of) {
  // `this` of a member that was inlined says less than what it was called on.
  Said This;
  for (const DbgVariableRecord *Record : recordsOf(Of)) {
    const DILocalVariable *Known = Record->getVariable();
    bool IsWhole = Record->getNumVariableLocationOps() == 1 && Record->getExpression()->getNumElements() == 0;
    if (!IsWhole || Known->getName().empty() || isOfLibrary(*Record) || isOfRange(*Known) || isOfLoop(*Known))
      continue;
    // What changes in a loop is `this` of something else each time.
    if (isa<PHINode>(Of) && Known->isArtificial())
      continue;
    // A number in an object that holds nothing else is its member.
    Said Found = {sizeInFortran(Known->getName()), Known->getType()};
    bool IsMember = Of->getType()->isIntegerTy() && isa_and_nonnull<DICompositeType>(withoutNames(Known->getType()));
    if (IsMember)
      Found = partOf(Found, 0, Of->getType()->getIntegerBitWidth() / 8);
    bool IsFirst = !IsMember && !Known->isArtificial();
    if (IsFirst || (!IsMember && Found.Text != Known->getName()))
      return Found;
    if (This.Text.empty())
      This = Found;
  }
  return This;
}

// The member of a variable that is passed in parts, as Rust's slices are.
Said partOfVariable(Value *Of) {
  for (const DbgVariableRecord *Record : recordsOf(Of)) {
    const DILocalVariable *Known = Record->getVariable();
    const DIExpression *How = Record->getExpression();
    auto Part = How->getFragmentInfo();
    bool IsPart = Record->getNumVariableLocationOps() == 1 && Part && How->getNumElements() == 3;
    if (IsPart && !Known->getName().empty() && !isOfLoop(*Known))
      return partOf({Known->getName().str(), Known->getType()}, Part->OffsetInBits / 8, Part->SizeInBits / 8);
  }
  return {};
}

// A variable in memory, by its address.
Said object(Value *Address) {
  if (auto *Global = dyn_cast<GlobalVariable>(Address)) {
    SmallVector<DIGlobalVariableExpression *, 1> Known;
    Global->getDebugInfo(Known);
    if (Known.size() == 1)
      return {Known[0]->getVariable()->getName().str(), Known[0]->getVariable()->getType()};
    return {demangle(Global->getName()), nullptr};
  }
  for (const DbgVariableRecord *Record : findDVRDeclares(Address))
    if (Record->getExpression()->getNumElements() == 0 && !Record->getVariable()->getName().empty())
      return {Record->getVariable()->getName().str(), Record->getVariable()->getType()};
  // What a function returns in memory of its caller's lies there from the beginning.
  for (const DbgVariableRecord *Record : recordsOf(Address)) {
    const DIExpression *How = Record->getExpression();
    bool IsThere = How->getNumElements() == 1 && How->startsWithDeref() && Record->getNumVariableLocationOps() == 1;
    if (IsThere && !Record->getVariable()->getName().empty())
      return {Record->getVariable()->getName().str(), Record->getVariable()->getType()};
  }
  return {};
}

Said expression(Value *Of, unsigned Depth);

// The only subscript of an address that is no constant.
Value *subscriptOf(GEPOperator &Address) {
  Value *Only = nullptr;
  for (Value *Index : Address.indices()) {
    if (isa<Constant>(Index))
      continue;
    if (Only)
      return nullptr;
    Only = Index;
  }
  return Only;
}

// What a load of so many bytes reads.
Said loaded(Value *Address, uint64_t Bytes, const DataLayout &Layout, unsigned Depth) {
  // The next element of a pointer that walks is what the source has it lead to in the next iteration.
  if (auto *Next = dyn_cast<GEPOperator>(Address->stripPointerCasts()))
    if (auto *Walk = dyn_cast<PHINode>(Next->getPointerOperand()); Walk && is_contained(Walk->incoming_values(), Next))
      Address = Walk;
  APInt Offset(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
  Value *Base = Address->stripAndAccumulateConstantOffsets(Layout, Offset, true);
  if (Offset.isNegative() || Depth == 0)
    return {};
  uint64_t Behind = Offset.getZExtValue();
  if (auto *Row = dyn_cast<GEPOperator>(Base)) {
    Value *Subscript = subscriptOf(*Row);
    // An element of an array that is a variable.
    if (Said Array = object(Row->getPointerOperand()->stripPointerCasts()); !Array.Text.empty() && Depth == MAX_DEPTH)
      return {Array.Text + "[..]", nullptr};
    Value *Start = Row->getPointerOperand();
    Said Table = expression(Start, Depth - 1);
    // An address may be summed up in several steps.
    bool HasSteps = Table.Text.empty() && isa<GEPOperator>(Start->stripPointerCasts());
    while (HasSteps && isa<GEPOperator>(Start->stripPointerCasts()))
      Start = cast<GEPOperator>(Start->stripPointerCasts())->getPointerOperand();
    if (HasSteps)
      Table = expression(Start, Depth - 1);
    const DIDerivedType *Pointer = pointerOf(Table.Type);
    if (!Subscript || !Pointer || isReference(*Pointer))
      return {};
    const DIType *Element = withoutNames(Pointer->getBaseType());
    uint64_t Size = Layout.getTypeAllocSize(Row->getResultElementType());
    if (Element && !isa<DICompositeType>(Element) && Element->getSizeInBits() == Bytes * 8 && (Size == 1 || HasSteps))
      return {Table.Text + "[..]", Element};
    if (!Element || Element->getSizeInBits() != Size * 8 || HasSteps)
      return {};
    std::string Index = expression(Subscript, Depth - 1).Text;
    return partOf({Table.Text + "[" + (Index.empty() ? ".." : Index) + "]", Element}, Behind, Bytes);
  }
  if (Said Object = object(Base); !Object.Text.empty()) {
    Said Part = partOf(Object, Behind, Bytes);
    return !Part.Text.empty() || Object.Type || Behind != 0 ? Part : Object;
  }
  Said Of = expression(Base, Depth - 1);
  if (Of.Text.empty())
    return {};
  if (const DIDerivedType *Pointer = pointerOf(Of.Type)) {
    const DIType *To = withoutNames(Pointer->getBaseType());
    if (isa_and_nonnull<DICompositeType>(To)) {
      Said Member = partOf({Of.Text, To}, Behind, Bytes, isReference(*Pointer) ? "." : "->");
      if (!Member.Text.empty())
        return Member;
    } else if (To && To->getSizeInBits() == Bytes * 8 && Behind % Bytes == 0) {
      if (isReference(*Pointer))
        return Behind == 0 ? Said{Of.Text, To} : Said();
      return {Behind == 0 ? "*" + Of.Text : Of.Text + "[" + std::to_string(Behind / Bytes) + "]", To};
    }
  }
  if (StringRef(Of.Text).starts_with("load from "))
    return {Of.Text, nullptr};
  return {"load from " + Of.Text + (Behind == 0 ? "" : " at byte " + std::to_string(Behind)), nullptr};
}

// Whether the debug information knows variables: what it does not know is none.
bool knowsVariables(const Function &F) {
  return any_of(F.getParent()->debug_compile_units(), [](const DICompileUnit *Unit) { return Unit->getEmissionKind() == DICompileUnit::FullDebug; });
}

// The function that a value is in.
const Function *functionOf(const Value *Of) {
  if (auto *Argument = dyn_cast<llvm::Argument>(Of))
    return Argument->getParent();
  auto *I = dyn_cast<Instruction>(Of);
  return I ? I->getFunction() : nullptr;
}

// The members of a vector of the C++ libraries by their public names: `a.data()`, `a.end()`.
std::string withPublicNames(std::string Text) {
  for (size_t At; (At = Text.find("._M_impl._M_start[")) != std::string::npos;)
    Text.erase(At, StringRef("._M_impl._M_start").size());
  for (auto [Member, Public] : {std::pair("_M_impl._M_start", "data()"), {"_M_impl._M_finish", "end()"}, {"__begin_", "data()"}, {"__end_", "end()"}})
    if (StringRef Whole = Text; Whole.ends_with((Twine(".") + Member).str()) || Whole.ends_with((Twine("->") + Member).str()))
      return Whole.drop_back(StringRef(Member).size()).str() + Public;
  // A vector of Rust is a buffer and a length.
  if (StringRef Whole = Text; Whole.consume_back(".buf.inner.ptr.pointer.pointer"))
    return Whole.str();
  // A unique_ptr of the C++ library holds a tuple with the pointer.
  if (StringRef Whole = Text; Whole.consume_back("._M_t._M_t._M_head_impl"))
    return Whole.str() + ".get()";
  // A span of the C++ library, too.
  for (auto [Member, Public] : {std::pair("._M_ptr", ".data()"), {"._M_extent._M_extent_value", ".size()"}, {".__data_", ".data()"}, {".__size_", ".size()"}})
    if (StringRef Whole = Text; Whole.consume_back(Member))
      return Whole.str() + Public;
  // A slice of Rust is a pointer and a length.
  if (StringRef Whole = Text; Whole.consume_back(".data_ptr"))
    return Whole.str();
  if (size_t At = Text.find(".data_ptr["); At != std::string::npos)
    Text.erase(At, StringRef(".data_ptr").size());
  return Text;
}

// The number of elements of a vector of the C++ libraries: its end less its beginning, over the size of an element.
Said sizeOf(Value *Of, unsigned Depth) {
  Value *End, *Begin;
  auto Bytes = m_Sub(m_PtrToInt(m_Value(End)), m_PtrToInt(m_Value(Begin)));
  if (!match(Of, m_CombineOr(m_SDiv(Bytes, m_ConstantInt()), m_AShr(Bytes, m_ConstantInt()))))
    return {};
  std::string Last = withPublicNames(expression(End, Depth - 1).Text), First = withPublicNames(expression(Begin, Depth - 1).Text);
  if (StringRef Vector = Last; Vector.consume_back("end()") && (Vector + "data()").str() == First)
    return {Vector.str() + "size()", nullptr};
  return {};
}

// Whether this is a sum or a difference.
bool isSum(const Value *Of) {
  auto *Op = dyn_cast<BinaryOperator>(Of);
  return Op && (Op->getOpcode() == Instruction::Add || Op->getOpcode() == Instruction::Sub);
}

// Whether this is made of bits: what binds less than a sum.
bool isOfBits(const Value *Of) {
  auto *Op = dyn_cast<BinaryOperator>(Of);
  return Op && (Op->isBitwiseLogicOp() || Op->isShift());
}

// An operand of an operation, as in the source; `InSum`: it is one of a sum, where products need no brackets.
std::string operand(Value *Of, unsigned Depth, bool InSum) {
  while (isa<SExtInst, ZExtInst, TruncInst>(Of))
    Of = cast<CastInst>(Of)->getOperand(0);
  if (auto *Number = dyn_cast<ConstantInt>(Of))
    return Number->getBitWidth() <= 64 ? std::to_string(Number->getSExtValue()) : "";
  std::string Text = expression(Of, Depth).Text;
  bool HasSign = isa<BinaryOperator>(Of) && Text.find(' ') != std::string::npos;
  return HasSign && (!InSum || isOfBits(Of)) ? "(" + Text + ")" : Text;
}

// What the source has for an operation on integers; null where it has something else.
const char *signOf(const BinaryOperator &Op) {
  switch (Op.getOpcode()) {
  case Instruction::Mul:
    return " * ";
  case Instruction::Add:
    return " + ";
  case Instruction::Sub:
    return " - ";
  case Instruction::SDiv:
  case Instruction::UDiv:
    return " / ";
  case Instruction::SRem:
  case Instruction::URem:
    return " % ";
  case Instruction::And:
    return " & ";
  case Instruction::Or:
    return " | ";
  case Instruction::Xor:
    return " ^ ";
  case Instruction::Shl:
    return " << ";
  case Instruction::AShr:
  case Instruction::LShr:
    return " >> ";
  default:
    return nullptr;
  }
}

// An operation on integers that have names.
Said arithmetic(Value *Of, unsigned Depth) {
  auto *Op = dyn_cast<BinaryOperator>(Of);
  if (!Op || !Op->getType()->isIntegerTy())
    return {};
  const char *Sign = signOf(*Op);
  if (!Sign)
    return {};
  std::string Left = operand(Op->getOperand(0), Depth - 1, isSum(Op)), Right = operand(Op->getOperand(1), Depth - 1, Op->getOpcode() == Instruction::Add);
  // LLVM adds the negative of a number.
  if (StringRef Number = Right; Op->getOpcode() == Instruction::Add && Number.consume_front("-") && isa<ConstantInt>(Op->getOperand(1)))
    return Left.empty() ? Said() : Said{Left + " - " + Number.str(), nullptr};
  return Left.empty() || Right.empty() ? Said() : Said{Left + Sign + Right, nullptr};
}

// A minimum or a maximum of what has names; other intrinsics are no calls of the source.
Said choice(IntrinsicInst &Of, unsigned Depth) {
  auto *Chosen = dyn_cast<MinMaxIntrinsic>(&Of);
  if (!Chosen)
    return {};
  bool IsMin = Chosen->getIntrinsicID() == Intrinsic::smin || Chosen->getIntrinsicID() == Intrinsic::umin;
  std::string Left = operand(Chosen->getLHS(), Depth - 1, true), Right = operand(Chosen->getRHS(), Depth - 1, true);
  if (Left.empty() || Right.empty())
    return {};
  return {(IsMin ? "min(" : "max(") + Left + ", " + Right + ")", nullptr};
}

// The member of a class at the beginning of an object, or of its first member and so on; nothing where there is none.
Said firstOf(Said Whole, StringRef Class, const char *Dot) {
  for (unsigned Depth = 0; Depth < MAX_DEPTH; ++Depth) {
    auto *Type = dyn_cast_or_null<DICompositeType>(withoutNames(Whole.Type));
    if (!Type || Type->getTag() == dwarf::DW_TAG_array_type)
      return {};
    if (Type->getName().take_until([](char C) { return C == '<'; }) == Class)
      return Whole;
    const DIDerivedType *First = nullptr;
    for (const DINode *Element : Type->getElements())
      if (auto *Member = dyn_cast_or_null<DIDerivedType>(Element); !First && Member && Member->getTag() == dwarf::DW_TAG_member && !Member->isStaticMember())
        First = Member;
    if (!First || First->getOffsetInBits() != 0)
      return {};
    Whole = {Whole.Text + Dot + First->getName().str(), First->getBaseType()};
    Dot = ".";
  }
  return {};
}

// What a call returns: of an object that has a name its member, else the function by its name.
Said returned(CallBase &Call, const Function &Called, unsigned Depth) {
  std::string Name = shownName(Called.getName());
  StringRef Own = StringRef(Name).rsplit("::").second;
  bool IsMember = any_of(ArrayRef<StringRef>{"begin", "end", "data", "size"}, [&](StringRef Known) { return Own == Known; });
  if (IsMember && Call.arg_size() == 1 && Call.getArgOperand(0)->getType()->isPointerTy()) {
    Value *On = Call.getArgOperand(0);
    Said Object = object(On);
    bool IsThere = !Object.Text.empty();
    if (!IsThere)
      Object = expression(On, Depth - 1);
    const DIDerivedType *Pointer = pointerOf(Object.Type);
    bool IsPointer = !IsThere && Pointer && !isReference(*Pointer);
    StringRef Class = StringRef(Name).drop_back(Own.size() + 2);
    Class = Class.take_until([](char C) { return C == '<'; }).rsplit("::").second;
    Said Member = firstOf({Object.Text, Pointer ? Pointer->getBaseType() : Object.Type}, Class, IsPointer ? "->" : ".");
    if (!Member.Text.empty() && Member.Text != Object.Text)
      return {Member.Text + "." + (Own == "begin" ? "data" : Own).str() + "()", nullptr};
    if (!Object.Text.empty())
      return {Object.Text + (IsPointer ? "->" : ".") + (Own == "begin" ? "data" : Own).str() + "()", nullptr};
  }
  return {Name + "()", nullptr};
}

// Whether a value is a load, or a sum of one and a number, and the constant what the same is of 0: on other ways than
// those to the loops that need it nothing is loaded.
bool isOnlyWhereNeeded(const Value *Made, const Constant *Else) {
  if (isa<LoadInst>(Made))
    return Else->isNullValue();
  auto *Sum = dyn_cast<BinaryOperator>(Made);
  return Sum && Sum->getOpcode() == Instruction::Add && Sum->getOperand(1) == Else && isa<LoadInst>(Sum->getOperand(0));
}

Said expression(Value *Of, unsigned Depth) {
  if (Depth == 0 || isa<Constant>(Of))
    return {};
  if (Said Known = variable(Of); !Known.Text.empty())
    return Known;
  if (auto *Argument = dyn_cast<llvm::Argument>(Of)) {
    if (Said Known = partOfVariable(Of); !Known.Text.empty())
      return Known;
    // The source has other arguments.
    if (knowsVariables(*Argument->getParent()))
      return {};
    if (!Of->getName().empty())
      return {Of->getName().str(), nullptr};
    return {"argument " + std::to_string(Argument->getArgNo() + 1), nullptr};
  }
  if (auto *Cast = dyn_cast<CastInst>(Of))
    return Cast->isIntegerCast() ? expression(Cast->getOperand(0), Depth - 1) : Said();
  if (auto *Frozen = dyn_cast<FreezeInst>(Of))
    return expression(Frozen->getOperand(0), Depth - 1);
  if (auto *Phi = dyn_cast<PHINode>(Of)) {
    // A load that is made where the loops need it: nothing on the other ways.
    if (Phi->getNumIncomingValues() == 1)
      return expression(Phi->getIncomingValue(0), Depth - 1);
    auto IsMade = [](Value *Incoming) { return !isa<Constant>(Incoming); };
    if (count_if(Phi->incoming_values(), IsMade) != 1)
      return {};
    Value *Only = *find_if(Phi->incoming_values(), IsMade);
    bool IsNeeded = all_of(Phi->incoming_values(), [&](Value *Incoming) {
      auto *Else = dyn_cast<Constant>(Incoming);
      return !Else || isOnlyWhereNeeded(Only, Else);
    });
    return IsNeeded ? expression(Only, Depth - 1) : Said();
  }
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(Of))
    return choice(*Intrinsic, Depth);
  if (auto *Call = dyn_cast<CallBase>(Of))
    if (const Function *Called = Call->getCalledFunction())
      return returned(*Call, *Called, Depth);
  if (auto *Store = dyn_cast<StoreInst>(Of)) {
    const DataLayout &Layout = Store->getModule()->getDataLayout();
    TypeSize Size = Layout.getTypeStoreSize(Store->getValueOperand()->getType());
    return Size.isScalable() ? Said() : loaded(Store->getPointerOperand(), Size, Layout, Depth);
  }
  if (auto *Load = dyn_cast<LoadInst>(Of)) {
    const DataLayout &Layout = Load->getModule()->getDataLayout();
    TypeSize Size = Layout.getTypeStoreSize(Load->getType());
    return Size.isScalable() ? Said() : loaded(Load->getPointerOperand(), Size, Layout, Depth);
  }
  if (auto *Update = dyn_cast<AtomicRMWInst>(Of)) {
    const DataLayout &Layout = Update->getModule()->getDataLayout();
    return loaded(Update->getPointerOperand(), Layout.getTypeStoreSize(Update->getType()), Layout, Depth);
  }
  if (Said Size = sizeOf(Of, Depth); !Size.Text.empty())
    return Size;
  return arithmetic(Of, Depth);
}

} // namespace

// Without the types that templates and generic functions have behind their names.
static StringRef withoutArguments(StringRef Name) {
  // Operators are no brackets.
  return Name.starts_with("operator") ? Name : Name.take_until([](char C) { return C == '<'; });
}

std::string polyrsLibraryName(const DISubprogram *Of) {
  if (const DISubprogram *Declared = Of->getDeclaration())
    Of = Declared;
  auto IsRust = [](const DICompileUnit *Unit) {
    return Unit && !Unit->getSourceLanguage().hasVersionedName() && Unit->getSourceLanguage().getName() == dwarf::DW_LANG_Rust;
  };
  std::string Found = withoutArguments(Of->getName()).rtrim().str();
  bool IsOfRust = IsRust(Of->getUnit()) || StringRef(Of->getLinkageName()).starts_with("_R");
  for (const DIScope *In = Of->getScope(); In && !isa<DIFile, DICompileUnit>(In); In = In->getScope()) {
    StringRef Name = withoutArguments(In->getName());
    // `__cxx11` and `{impl#3}` are no names of the user's.
    if (Name.empty() || Name.starts_with("_") || Name.starts_with("{"))
      continue;
    Found = (Name + "::" + Found).str();
    // Paths of Rust are long: types and traits are known by their own names.
    if (IsOfRust)
      break;
  }
  return Found;
}

POLYRS_EXPORT void polyrs_shown_name(PolyrsStr Symbol, PolyrsText *Out) { Out->Text = shownName(stringRef(Symbol)); }

// What a function is called in its source. Of Fortran's procedures outside of modules only debug information knows:
// `mmf_` may be a name of C.
POLYRS_EXPORT void polyrs_function_shown(const Function *F, PolyrsText *Out) {
  const DISubprogram *Known = F->getSubprogram();
  StringRef Name = Known ? Known->getName() : "";
  bool IsPlain = !Name.empty() && F->getName() == (Name + "_").str();
  auto IsFortran = [](DISourceLanguageName Language) {
    return !Language.hasVersionedName() && dwarf::isFortran(dwarf::SourceLanguage(Language.getName()));
  };
  bool IsProcedure = IsPlain && Known->getUnit() && IsFortran(Known->getUnit()->getSourceLanguage());
  Out->Text = IsProcedure ? Name.str() : shownName(F->getName());
}

// The variable that a value is, by the debug information; where there is none its name in the IR with a percent sign,
// without what passes appended; else nothing.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_variable(LLVMValueRef V, PolyrsText *Out) {
  auto *Of = reinterpret_cast<Value *>(V);
  Out->Text = variable(Of).Text;
  // Arguments of Fortran are the addresses of variables.
  if (Out->Text.empty() && isa<Argument, GlobalVariable>(Of))
    Out->Text = object(Of).Text;
  const Function *Around = functionOf(Of);
  if (!Out->Text.empty() || (Around && knowsVariables(*Around)))
    return;
  StringRef Name = Of->getName().take_until([](char C) { return C == '.'; });
  if (!Name.empty())
    Out->Text = ("%" + Name).str();
}

// What a call runs: a function, where a library's own code calls it the function of the library that the user calls
// there (`library function std::vector::push_back()`), one behind a pointer, or the copy that an assignment or `memcpy`
// is; nothing for other values.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_called(LLVMValueRef V, PolyrsText *Out) {
  auto *Call = dyn_cast<CallBase>(reinterpret_cast<Value *>(V));
  if (!Call)
    return;
  auto [Place, OfLibrary] = polyrsInUsersFile(Call->getDebugLoc().get());
  // What is called through a pointer may be of any function, in a library as well.
  bool IsLibrarys = Place && OfLibrary && Call->getCalledFunction();
  if (IsLibrarys) {
    Out->Text = "library function " + polyrsLibraryName(OfLibrary) + "()";
  } else if (auto *Copy = dyn_cast<MemTransferInst>(Call)) {
    auto *Bytes = dyn_cast<ConstantInt>(Copy->getLength());
    Out->Text = Bytes ? "copy of " + std::to_string(Bytes->getZExtValue()) + " bytes" : "copy of memory";
  } else if (auto *Fill = dyn_cast<MemSetInst>(Call)) {
    auto *Bytes = dyn_cast<ConstantInt>(Fill->getLength());
    Out->Text = Bytes ? "fill of " + std::to_string(Bytes->getZExtValue()) + " bytes" : "fill of memory";
  } else if (const Function *Called = Call->getCalledFunction()) {
    std::string Name = shownName(Called->getName());
    bool IsAny = StringRef(Name).starts_with("std::function<") && StringRef(Name).ends_with("::operator()");
    Out->Text = IsAny ? "call through a std::function" : Name + "()";
  } else if (!Call->isInlineAsm()) {
    std::string Pointer = expression(Call->getCalledOperand(), MAX_DEPTH).Text;
    bool IsOfSource = !Pointer.empty() && !StringRef(Pointer).starts_with("load from ");
    bool IsVirtual = StringRef(Pointer).contains("_vptr");
    Out->Text = "call through " + (IsVirtual ? "a virtual function" : IsOfSource ? Pointer : "a pointer");
  }
}

// The function that a call runs, by its own name, whoever calls it; nothing for other values.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_called_itself(LLVMValueRef V, PolyrsText *Out) {
  auto *Call = dyn_cast<CallBase>(reinterpret_cast<Value *>(V));
  if (const Function *Called = Call ? Call->getCalledFunction() : nullptr)
    Out->Text = shownName(Called->getName()) + "()";
}

// The function of a library that the user calls where a value is computed, `library function std::vector::push_back()`;
// nothing where the code is the user's own.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_library(LLVMValueRef V, PolyrsText *Out) {
  auto *I = dyn_cast<Instruction>(reinterpret_cast<Value *>(V));
  auto [Place, Called] = polyrsInUsersFile(I ? I->getDebugLoc().get() : nullptr);
  if (Place && Called)
    Out->Text = "library function " + polyrsLibraryName(Called) + "()";
}

// What is special about an instruction that has to stay where it is; nothing for others.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_nature(LLVMValueRef V, PolyrsText *Out) {
  auto *I = dyn_cast<Instruction>(reinterpret_cast<Value *>(V));
  if (!I)
    return;
  auto *Call = dyn_cast<CallBase>(I);
  if (Call && Call->isInlineAsm())
    Out->Text = "assembly";
  else if (isa<FenceInst>(I))
    Out->Text = "fence";
  else if (I->isAtomic())
    Out->Text = "atomic access";
  else if (I->isVolatile())
    Out->Text = "volatile access";
}

// The expression that a value is in the source: a variable, what is loaded through one, the name of a function that is
// called; else nothing.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_expression(LLVMValueRef V, PolyrsText *Out) {
  Out->Text = withPublicNames(expression(reinterpret_cast<Value *>(V), MAX_DEPTH).Text);
}
