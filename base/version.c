#include "base/version.h"

#include "commit.h"

const char heddle_version[] = "0.1";
const char heddle_commit[] = HEDDLE_COMMIT;
const char heddle_gpgpusim_build[] = "gpgpu-sim_git-commit-" HEDDLE_COMMIT "_modified_" HEDDLE_SOURCES ".so";
const char heddle_accelsim_build[] = "accelsim-commit-" HEDDLE_COMMIT "_modified_" HEDDLE_SOURCES;
