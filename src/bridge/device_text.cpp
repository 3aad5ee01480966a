// See device_text.h. Called by src/bridge/device.cpp only.

#include "bridge/device_text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace {

// Bits of a register that the backend has named; 0: it is a predicate, a constant or something else.
unsigned bitsOf(StringRef Register) {
  return StringSwitch<unsigned>(Register.take_until(isDigit))
      .Case("%rd", 64)
      .Case("%r", 32)
      .Case("%rs", 16)
      .Default(0);
}

// Bits of a store's element; 0: the line is no store of less than 64 bits.
unsigned bitsStored(StringRef Line) {
  StringRef Words = Line.ltrim();
  if (Words.starts_with("@"))
    Words = Words.drop_until(isSpace).ltrim();
  if (!Words.consume_front("st."))
    return 0;
  StringRef Type = Words.take_until(isSpace).rsplit('.').second;
  return StringSwitch<unsigned>(Type).Cases({"b8", "u8", "s8"}, 8).Cases({"b16", "u16", "s16"}, 16).Cases({"b32", "u32", "s32"}, 32).Default(0);
}

// The kernels, line by line.
class Text {
  std::string Done;
  // Where declarations of the function that is read can stand, and how many registers it needs of 16 and of 32 bits.
  size_t Head = 0;
  unsigned Short = 0, Word = 0;

  // The low bits of a register, in one of their own.
  std::string cut(StringRef Register, unsigned From, unsigned To) {
    if (To == 32) {
      std::string Own = "%polyrsr" + std::to_string(Word++);
      Done += "\tcvt.u32.u64 \t" + Own + ", " + Register.str() + ";\n";
      return Own;
    }
    std::string Own = "%polyrss" + std::to_string(Short++);
    if (From == 16)
      Done += "\tand.b16 \t" + Own + ", " + Register.str() + ", 255;\n";
    else
      Done += "\tcvt.u16.u" + std::to_string(From) + " \t" + Own + ", " + Register.str() + ";\n";
    return Own;
  }

  void store(StringRef Line, unsigned Bits) {
    auto [Place, Values] = Line.split("], ");
    std::string Rest;
    while (!Values.empty()) {
      size_t Begin = Values.find('%');
      Rest += Values.substr(0, Begin).str();
      Values = Values.substr(Begin);
      StringRef Register = Values.take_until([](char C) { return C == ',' || C == '}' || C == ';'; });
      Values = Values.drop_front(Register.size());
      unsigned From = bitsOf(Register);
      Rest += From > Bits ? cut(Register, From, Bits) : Register.str();
    }
    Done += Place.str() + "], " + Rest + "\n";
  }

  void end() {
    std::string Own;
    if (Short)
      Own += "\t.reg .b16 \t%polyrss<" + std::to_string(Short) + ">;\n";
    if (Word)
      Own += "\t.reg .b32 \t%polyrsr<" + std::to_string(Word) + ">;\n";
    Done.insert(Head, Own);
    Short = Word = 0;
  }

public:
  std::string of(StringRef Ptx) {
    SmallVector<StringRef> Lines;
    Ptx.split(Lines, '\n');
    for (StringRef Line : Lines) {
      if (Line == "}")
        end();
      if (unsigned Bits = bitsStored(Line))
        store(Line, Bits);
      else
        Done += Line.str() + "\n";
      if (Line == "{")
        Head = Done.size();
    }
    Done.pop_back();
    return std::move(Done);
  }
};

} // namespace

std::string polyrsWithoutCutStores(StringRef Ptx) { return Text().of(Ptx); }
