"""The rules of scripts/check fire on what they forbid and stay silent on what they allow."""
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import rules


class FakeTree(rules.Tree):
    """A tree of given texts."""

    def __init__(self, **texts):
        self.texts = {name.replace("__", "/").replace("_rs", ".rs"): text for name, text in texts.items()}


def fired(rule, **texts):
    """The violations of a rule in a tree of `folder__file_rs=text`."""
    return list(rule(FakeTree(**texts)))


class Layers(unittest.TestCase):
    def test_upward_import_is_found(self):
        self.assertTrue(fired(rules.layers, src__deps__flow_rs="use crate::schedule::Band;"))

    def test_downward_import_is_allowed(self):
        self.assertEqual(fired(rules.layers, src__schedule__x_rs="use crate::deps::Dep;"), [])

    def test_only_tests_of_lower_layers_ask_the_proof(self):
        self.assertEqual(fired(rules.layers, src__schedule__tests__x_rs="use crate::proof::check;"), [])
        self.assertTrue(fired(rules.layers, src__schedule__x_rs="use crate::proof::check;"))

    def test_handles_stay_out_of_pure_layers(self):
        self.assertTrue(fired(rules.layers, src__model__x_rs="use crate::bridge::ir::Value;"))
        self.assertEqual(fired(rules.layers, src__model__x_rs="use crate::facts::Scev;"), [])

    def test_comments_do_not_count(self):
        self.assertEqual(fired(rules.layers, src__deps__x_rs="// see crate::schedule::tile\n"), [])

    def test_unknown_layer_is_found(self):
        self.assertTrue(fired(rules.layers, src__attic__x_rs="fn f() {}"))
        self.assertTrue(fired(rules.layers, src__attic_rs="fn f() {}"))

    def test_grouped_imports_count(self):
        self.assertTrue(fired(rules.layers, src__deps__x_rs="use crate::{error::{Failure, Limit}, schedule};"))
        self.assertEqual(fired(rules.layers, src__deps__x_rs="use crate::{error::{Failure, schedule}, model};"), [])

    def test_commands_use_little(self):
        self.assertTrue(fired(rules.layers, src__bin__polyrs__x_rs="use polyrs::bridge::ir::Ir;"))
        self.assertEqual(fired(rules.layers, src__bin__polyrs__x_rs="use polyrs::options::TABLE;"), [])

    def test_whole_library_is_not_imported(self):
        for text in ("use crate::*;", "use crate as all;"):
            self.assertTrue(fired(rules.layers, src__deps__x_rs=text))
        self.assertTrue(fired(rules.layers, src__bin__polyrs__x_rs="use polyrs as library;"))

    def test_types_of_one_folder_have_names_of_their_own(self):
        both = {"src__ast__a_rs": "pub struct Part;", "src__ast__b_rs": "pub(super) enum Part {}"}
        self.assertTrue(fired(rules.type_names, **both))
        self.assertEqual(fired(rules.type_names, src__ast__a_rs="pub struct Part;", src__cost__b_rs="pub enum Part {}"), [])
        self.assertEqual(fired(rules.type_names, src__ast__a_rs="pub struct Part;", src__ast__b_rs="struct Part;"), [])

    def test_climbing_imports_count(self):
        self.assertTrue(fired(rules.layers, src__deps__flow_rs="use super::super::schedule::Band;"))
        self.assertTrue(fired(rules.layers, src__deps__loops__mod_rs="fn f() { super::super::schedule::g() }"))
        self.assertTrue(fired(rules.layers, src__deps_rs="mod tests { use super::super::schedule; }"))
        self.assertEqual(fired(rules.layers, src__schedule__x_rs="use super::super::deps::Dep;"), [])
        self.assertEqual(fired(rules.layers, src__codegen__contraction__x_rs="use super::schedule; use super::super::places;"), [])

    def test_no_way_to_write_it_hides_an_import(self):
        for text in ("use super::{schedule::Band};", "use super::{flow, super::schedule::Band};", "use super::super as top;",
                     "use super::super::*;", "fn f() { crate :: schedule::g() }", "use crate::\n    schedule::Band;",
                     "extern crate self as me;", '#[path = "../schedule/mod.rs"] mod s;', 'include!("../schedule/mod.rs");',
                     "use self::super::super::schedule;"):
            name = "src__deps__mod_rs" if text.startswith("use super::{schedule") else "src__deps__flow_rs"
            self.assertTrue(fired(rules.layers, **{name: text}), text)
        for text in ("use super::{flow::Band, pair};", "mod tests {\n    use super::*;\n}", "use super::*;", "use super::{self, pair};"):
            self.assertEqual(fired(rules.layers, src__deps__flow_rs=text), [], text)
        self.assertEqual(fired(rules.layers, src__outcome_rs="mod tests {\n    use super::*;\n}"), [])

    def test_one_file_of_the_bridge_calls_upward(self):
        both = {"src__bridge__a_rs": "use crate::plugin::run;", "src__bridge__b_rs": "use super::super::pipeline::run;"}
        self.assertTrue(fired(rules.one_upward_call, **both))
        self.assertEqual(fired(rules.one_upward_call, src__bridge__a_rs=both["src__bridge__a_rs"]), [])

    def test_leaf_imports_nothing(self):
        self.assertTrue(fired(rules.layers, src__error_rs="use crate::model::Scop;"))


class Cpp(unittest.TestCase):
    def fired(self, name, text, build=True):
        tree = FakeTree()
        tree.texts = {name: text, "build.rs": f'"{name}"' if build else ""}
        return list(rules.cpp_layers(tree))

    def test_upward_include_is_found(self):
        self.assertTrue(self.fired("src/bridge/x.cpp", '#include "canonical/canonical.h"'))
        self.assertTrue(self.fired("src/bridge/x.cpp", '#include "bridge.h"'))
        self.assertEqual(self.fired("src/canonical/x.cpp", '#include "bridge/bridge.h"\n#include "llvm/IR/Module.h"'), [])

    def test_no_way_to_write_it_hides_an_include(self):
        for text in ('#include <canonical/canonical.h>', '#include "bridge/../canonical/canonical.h"', "#include HEADER",
                     '#include_next "canonical/canonical.h"', '#import "canonical/canonical.h"', '#include \\\n"canonical/canonical.h"', '  # include "canonical/canonical.h"', '#include "../canonical/canonical.h"'):
            self.assertTrue(self.fired("src/bridge/x.cpp", text), text)
        self.assertEqual(self.fired("src/bridge/x.cpp", "#include <vector>\n#include <sys/types.h>"), [])

    def test_other_rooms_have_none(self):
        self.assertTrue(self.fired("src/model/x.cpp", ""))
        self.assertTrue(self.fired("src/model/x.hpp", ""))

    def test_all_is_compiled(self):
        self.assertTrue(self.fired("src/bridge/x.cpp", "", build=False))


class Crates(unittest.TestCase):
    def test_solver_has_one_home(self):
        self.assertTrue(fired(rules.foreign_crates, src__schedule__pluto_rs="use good_lp::variable;"))
        self.assertEqual(fired(rules.foreign_crates, src__schedule__ilp_rs="use good_lp::variable;"), [])

    def crates(self, text):
        sets = '[package]\nname = "presburger"\n'
        return fired(rules.crates, **{"crates__presburger__Cargo.toml": sets + text, "Cargo.toml": '[package]\nname = "polyrs"\n'})

    def test_the_set_library_is_made_of_no_crate_of_ours(self):
        self.assertEqual(self.crates('[dependencies]\nserde = { version = "1" }\n[features]\npolyrs = []\n'), [])
        self.assertTrue(self.crates('[dependencies]\npolyrs = { path = "../.." }\n'))
        self.assertTrue(self.crates('[dev-dependencies]\nloops = { package = "polyrs", path = "../.." }\n'))
        self.assertTrue(self.crates('[dependencies]\npolyrs={path="../.."}\n'))
        self.assertTrue(self.crates('[dependencies.polyrs]\npath = "../.."\n'))
        self.assertTrue(self.crates('[target.\'cfg(unix)\'.dependencies]\npolyrs = { path = "../.." }\n'))

    def test_each_crate_is_known(self):
        self.assertTrue(fired(rules.crates, **{"crates__new__Cargo.toml": '[package]\nname = "new"\n'}))

    def test_unsafe_stays_in_the_bridge(self):
        self.assertTrue(fired(rules.foreign_crates, src__ast__x_rs="fn f() { unsafe { g() } }"))
        self.assertEqual(fired(rules.foreign_crates, src__bridge__x_rs="fn f() { unsafe { g() } }"), [])
        self.assertEqual(fired(rules.foreign_crates, src__ast__x_rs="#![forbid(unsafe_code)]"), [])

    def test_unsafe_stays_in_c_interfaces_of_other_crates(self):
        code = "fn f() { unsafe { g() } }"
        self.assertEqual(fired(rules.foreign_crates, **{"crates__polyrs-rt__src__lib_rs": code}), [])
        self.assertTrue(fired(rules.foreign_crates, **{"crates__ptx-emulator__src__run_rs": code}))
        self.assertTrue(fired(rules.foreign_crates, **{"crates__polyrs-rt__src__lib_rs": "use inkwell::x;"}))


class Lengths(unittest.TestCase):
    def test_long_function(self):
        body = "    let x = 1;\n" * 90
        self.assertTrue(fired(rules.function_length, src__ast__x_rs=f"fn long(a: [u8; 4]) {{\n{body}}}\n"))
        self.assertEqual(fired(rules.function_length, src__ast__x_rs="fn short() {\n    1\n}\n"), [])

    def test_long_file(self):
        self.assertTrue(fired(rules.file_length, src__ast__x_rs="\n" * 801))

    def test_wide_comment(self):
        for start in ("// ", "    /// ", "//! "):
            self.assertTrue(fired(rules.comment_width, src__x_rs=f"{start}{'w' * 120}\n"))
            self.assertEqual(fired(rules.comment_width, src__x_rs=f"{start}{'w' * (120 - len(start))}\n"), [])
        self.assertEqual(fired(rules.comment_width, src__x_rs=f"//! | {'w' * 120} |\nlet s = \"{'w' * 120}\"\n"), [])

    def test_wide_comment_of_a_test(self):
        def found(name, line):
            tree = FakeTree()
            tree.texts = {name: f"{line}\n"}
            return list(rules.comment_width(tree))

        for name, start in (("llvm-tests/x.c", "// "), ("llvm-tests/x.test", "# "), ("scripts/x.py", "# ")):
            self.assertTrue(found(name, start + "w" * 120))
            self.assertEqual(found(name, start + "w" * 100), [])
        for read in ("RUN: ", "CHECK-NEXT: ", "COUNT-2{LITERAL}: "):
            self.assertEqual(found("llvm-tests/x.c", "// " + read + "w" * 120), [])

    def test_python_function(self):
        text = "def f():\n" + "    x = 1\n" * 90 + "\ndef g():\n    pass\n"
        found = {name: lines for name, _, lines in rules.python_functions(text)}
        self.assertEqual(found, {"f": 91, "g": 2})


class Texts(unittest.TestCase):
    def test_unfinished(self):
        self.assertTrue(fired(rules.unfinished, src__x_rs="fn f() { to" + "do!() }"))

    def test_machine_path(self):
        self.assertTrue(fired(rules.machine_paths, README="see /ro" + "ot/x"))
        self.assertEqual(fired(rules.machine_paths, README="see /usr/lib/llvm-22 and src/ast/work/x"), [])

    def test_missing_path(self):
        self.assertTrue(fired(rules.named_paths, src__a_rs="// see src/gone.rs"))
        self.assertEqual(fired(rules.named_paths, src__a_rs="// see src/a.rs"), [])

    def test_reject_without_test(self):
        error = 'Self::Foo => "Foo",\nSelf::Bar => "Bar",'
        missing = fired(rules.reject_tests, src__error_rs=error, **{"llvm-tests__a.ll": "; CHECK: Foo"})
        self.assertEqual(missing, ["no test names Bar"])


class Constants(unittest.TestCase):
    SOURCE = "/// Most of [`X`].\nconst MOST: usize = 1 << 3;\npub const ALL: [i64; 2] = [1, 2];\nconst NAME: &str = \"x\";\n"

    def fired(self, table, **more):
        return fired(rules.constants_table, src__a_rs=self.SOURCE, **{"docs__constants.md": table}, **more)

    def test_each_number_has_its_row(self):
        rows = "| `ALL` | `[1, 2]` | x | y |\n| `MOST` | `1 << 3` | x | y |\n"
        self.assertEqual(self.fired(rows), [])
        self.assertEqual(len(self.fired("")), 2)
        self.assertEqual(len(self.fired(rows.replace("3", "4"))), 2, "another value: its row is missing, and one is too many")
        self.assertEqual(len(self.fired(rows, src__b_rs="const NEW: f64 = 0.5;\n")), 1)
        self.assertEqual(self.fired(rows, src__x__tests__b_rs="const NEW: f64 = 0.5;\n"), [])

    def test_numbers_of_one_name_and_value_go_by_their_files(self):
        found = rules.docs.constants([("src/a.rs", "const K: u8 = 1;\n"), ("src/b/mod.rs", "/// Most.\nconst K: u8 = 1;\nconst L: u8 = 1;\n")])
        self.assertEqual(found, {("a::K", "1"): "see its file", ("b::K", "1"): "Most.", ("L", "1"): "see its file"})

    def test_those_of_cpp_share_the_comment_above_them(self):
        text = "// Most users,\n// most blocks.\nconstexpr unsigned U = 64;\nstatic constexpr size_t B = 2, C = 3;\n\nint x;\nconstexpr int D = 4;\n"
        found = rules.docs.constants([("src/bridge/a.cpp", text)])
        both = "Most users, most blocks."
        self.assertEqual(found, {("U", "64"): both, ("B", "2"): both, ("C", "3"): both, ("D", "4"): "see its file"})

    def test_those_in_functions_and_enums_of_cpp(self):
        text = ("void f() {\n  // Bits.\n  const uint64_t First = 1 << 8, Third = 4 << 8;\n  const unsigned Width = F.width(8);\n}\n"
                "// Looks.\nenum class Look : uint32_t {\n  // All.\n  All = 0,\n  Some,\n  None = 3,\n};\nenum { Deep = 6 };\nenum Way { Up, Down };\n"
                "int x = 3;\n")
        found = rules.docs.constants([("src/bridge/a.cpp", text)])
        self.assertEqual(found, {("First", "1 << 8"): "Bits.", ("Third", "4 << 8"): "Bits.", ("Look::All", "0"): "All.",
                                 ("Look::None", "3"): "All.", ("Deep", "6"): "see its file"})

    def test_those_in_functions_pairs_times_and_fields_of_rust(self):
        text = ("fn f() {\n    /// Most.\n    const MOST: u8 = 3;\n}\nconst PAIR: (i64, usize) = (16, 64);\nconst X: std::ffi::c_int = 5;\n"
                "const LONG: Duration = Duration::from_millis(2);\n/// Rates.\npub const USUAL: Rates = Rates {\n    host: 4e9,\n    link: 2.0,\n};\n"
                "const PLAIN: Rates = Rates { known: false };\nconst NAME: Word = Word { text: \"x\" };\n")
        found = rules.docs.constants([("src/a.rs", text)])
        self.assertEqual(found, {("MOST", "3"): "Most.", ("PAIR", "(16, 64)"): "see its file", ("X", "5"): "see its file",
                                 ("LONG", "Duration::from_millis(2)"): "see its file",
                                 ("USUAL", "Rates { host: 4e9, link: 2.0 }"): "Rates."})

    def test_what_was_measured_stays(self):
        old = "head\n<!-- constants -->\n| `MOST` | `1 << 3` | old | twice as fast |\n| `GONE` | `1` | x | y |\n<!-- /constants -->\ntail\n"
        new = rules.docs.with_table(old, rules.docs.constants([("src/a.rs", self.SOURCE)]))
        self.assertIn("| `MOST` | `1 << 3` | Most of `X`. | twice as fast |\n", new)
        self.assertIn("| `ALL` | `[1, 2]` | see its file | not measured |\n", new)
        self.assertNotIn("GONE", new)
        self.assertTrue(new.startswith("head\n") and new.endswith("\ntail\n"))


class Listing(unittest.TestCase):
    def test_works_where_git_is_not_installed(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, PATH=folder):
            (Path(folder) / "src").mkdir()
            (Path(folder) / "src" / "a.rs").write_text("")
            (Path(folder) / "target").mkdir()
            (Path(folder) / "target" / "b.rs").write_text("")
            self.assertIn("src/a.rs", rules.listing(Path(folder)))
            self.assertNotIn("target/b.rs", rules.listing(Path(folder)))


if __name__ == "__main__":
    unittest.main()
