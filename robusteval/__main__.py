"""The front door, ``python -m robusteval COMMAND``; only here the library knows the workflow."""

import sys

from workflow_scripts._commands import main

if __name__ == "__main__":
    sys.exit(main())
