"""faults.py EXPECTED CALLS COMMAND...: the command prints what the file EXPECTED holds, whichever of the first CALLS calls of the driver of
each kind fails, and all of them."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts" / "lib"))
import gpu

expected, calls, command = Path(sys.argv[1]).read_text(), int(sys.argv[2]), sys.argv[3:]
wrong = 0
for fault in gpu.FAULTS:
    for which in ["", *(f"={k + 1}" for k in range(calls))]:
        ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PTX_EMULATOR_FAULT": fault + which})
        if ran.returncode or ran.stdout != expected or gpu.findings(ran.stderr):
            print(f"{fault}{which}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
            wrong += 1
sys.exit(min(wrong, 1))
