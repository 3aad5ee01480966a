// What values are called in the user's source.

#include "bridge/bridge.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Value.h"

using namespace llvm;

// The variable that a value is, by the debug information; else its name in the IR with a percent sign, without what
// passes appended; else nothing.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_variable(LLVMValueRef V, PolyrsText *Out) {
  auto *Of = reinterpret_cast<Value *>(V);
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgValues(Of, Records);
  for (const DbgVariableRecord *Record : Records) {
    bool IsWhole = Record->getNumVariableLocationOps() == 1 && Record->getExpression()->getNumElements() == 0;
    if (IsWhole && !Record->getVariable()->getName().empty()) {
      Out->Text = Record->getVariable()->getName().str();
      return;
    }
  }
  StringRef Name = Of->getName().take_until([](char C) { return C == '.'; });
  if (!Name.empty())
    Out->Text = ("%" + Name).str();
}
