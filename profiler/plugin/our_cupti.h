// CUPTI has one subscriber, and other tools subscribe as we do: distinguishes our calls from
// theirs.
#pragma once

namespace rnnadvisor::plugin {

// Whether this thread is inside a call of ours.
bool cupti_is_ours();
// While it lives, what this thread calls of CUPTI is ours.
class OurCupti {
 public:
  OurCupti();
  ~OurCupti();
  OurCupti(const OurCupti&) = delete;
  OurCupti& operator=(const OurCupti&) = delete;
};

}  // namespace rnnadvisor::plugin
