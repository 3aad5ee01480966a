"""unordered.py EXPECTED WAITS COMMAND...: the command's streams wait for events WAITS times, and the emulator finds something wrong where
any of these waits is not there, in whatever order streams go on. With all of them the command prints what the file EXPECTED holds."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts" / "lib"))
import gpu

expected, waits, command = Path(sys.argv[1]).read_text(), int(sys.argv[2]), sys.argv[3:]
wrong = 0
for order in gpu.ORDERS:
    for missing in range(1, waits + 2):
        env = {**os.environ, "PTX_EMULATOR_ORDER": order, "PTX_EMULATOR_FAULT": f"not-behind={missing}"}
        ran = subprocess.run(command, capture_output=True, text=True, env=env)
        found = any("nothing orders" in line for line in gpu.findings(ran.stderr))
        is_right = ran.returncode == 0 and ran.stdout == expected and not gpu.findings(ran.stderr)
        if found != (missing <= waits) or (missing > waits and not is_right):
            print(f"{order}, without wait {missing}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
            wrong += 1
sys.exit(min(wrong, 1))
