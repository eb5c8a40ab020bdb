// The samples of a trial: all are kept, and what lies far from the rest is named, not left out.
#pragma once

#include <span>
#include <string>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Beyond how many scaled median absolute deviations from the median a sample is called an outlier.
// 1.4826 times the deviation estimates the standard deviation of normal samples; 3 is the
// conservative choice of Leys et al., Detecting outliers, J. Exp. Soc. Psychol. 49 (2013), and here
// it decides what is pointed at and nothing else.
inline constexpr double outlier_deviations = 3;

struct SampleBounds {
  double median = 0, low = 0, high = 0;  // outliers lie outside of low and high
};
// Of any samples; zeros of none. Where more than half are equal, whatever differs is outside.
SampleBounds sample_bounds(std::span<const double> samples);

struct Outliers {
  int before = 0, after = 0, control = 0;  // how many
  int samples = 0;                         // of all three
  double largest_ms = 0;                   // of the outliers; 0: there are none
  int count() const { return before + after + control; }
};
Outliers outliers(const ExperimentTiming& timing);

namespace words {

// "2 of 63 samples beyond 3 scaled MAD (before 1, after 0, control 1), largest 1.93 ms"; "none of
// 63 samples beyond 3 scaled MAD"; empty without samples.
std::string outliers(const ExperimentTiming* timing);
// The same of the timings that decide, all trials of a configuration together.
std::string outliers(const ConfigurationReport& report);

}  // namespace words
}  // namespace rnnadvisor::advisor
