#include "base/version.h"

#include "commit.h"

const char heddle_version[] = "0.1";
const char heddle_commit[] = HEDDLE_COMMIT;
