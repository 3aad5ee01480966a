"""docs/reasons.md has a section for each reason, with the program's own message and remedy."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTCOMES = r'"(Reordered|Kept|BudgetSpent|Overflow|InternalError|OneThread|SharedArray|NotExported|GaveUp|NoDevice)"'


def texts(source, function):
    """{kind: text} of a function of RejectKind that matches on self."""
    body = source[source.index(f"fn {function}("):]
    body = body[:body.index("\n    }\n")]
    found = re.findall(r'Self::(\w+) => \{?\s*"([^"]+)"', body)
    # A backslash at the end of a line joins it with the next one, as in Rust.
    return {kind: re.sub(r"\\\n\s*", "", text) for kind, text in found}


class Reasons(unittest.TestCase):
    def test_each_reason_has_its_section(self):
        source = (ROOT / "src" / "error.rs").read_text()
        names, messages = (texts(source, f) for f in ("name", "message"))
        remedies = texts((ROOT / "src" / "remedies.rs").read_text(), "usual_remedy")
        self.assertEqual(names.keys(), messages.keys())
        self.assertEqual(names.keys(), remedies.keys())
        parts = (ROOT / "docs" / "reasons.md").read_text().split("\n## ")
        sections = {part.split("\n", 1)[0]: part for part in parts[1:]}
        for kind, name in names.items():
            self.assertIn(f"> {messages[kind]}\n", sections.get(name, ""), name)
            self.assertIn(f"What helps: {remedies[kind]}.", sections[name], name)
        others = set(re.findall(OUTCOMES, (ROOT / "src" / "outcome.rs").read_text()))
        self.assertEqual(sections.keys() - set(names.values()), others)


if __name__ == "__main__":
    unittest.main()
