// CUPTI's activity records, one by one, as records of the spool.
#pragma once

#include <cupti.h>

namespace rnnadvisor::plugin {

using CallbackName = decltype(&::cuptiGetCallbackName);

// Writes one record; kinds that are not recorded are passed over. Kernels whose time CUPTI could
// not get are counted as lost. `name_of` names a call of the CUDA API and is not called for other
// kinds. Any thread; never throws.
void write_activity(const CUpti_Activity& record, CallbackName name_of);

}  // namespace rnnadvisor::plugin
