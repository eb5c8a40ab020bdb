#include "gui/models/pages.h"

#include <gtest/gtest.h>

#include <QRegularExpression>
#include <QTextDocument>

#include "advisor/report/charts.h"
#include "advisor/report/content.h"
#include "advisor/report/phase_times.h"
#include "advisor/rules/describe.h"
#include "advisor/rules/validation_records.h"
#include "gui/models/overview_charts.h"
#include "gui/models/page.h"
#include "gui/models/render_page.h"
#include "profiler/profile/builder.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

QString text_of(const QString& html) {
  QTextDocument document;
  document.setHtml(html);
  return document.toPlainText().remove(QChar(0x200b));
}

void expect_links(const QString& html) {
  static const QRegularExpression links(QStringLiteral("href=\"([^\"]*)\""));
  auto all = links.globalMatch(html);
  while (all.hasNext()) {
    const QString link =
        all.next().captured(1).replace(QStringLiteral("&amp;"), QStringLiteral("&"));
    EXPECT_TRUE(parse_link(link).has_value()) << link.toStdString();
  }
}

TEST(FindingPage, SaysEverything) {
  const auto document = sample("programs/pytorch-two-layers");
  const auto& finding = document->judgement().findings.at(0);
  EXPECT_EQ(finding.rule_id, "pytorch/split-stack");
  const QString html = finding_page(*document, 0, light_theme());
  const QString text = text_of(html);
  for (const char* part :
       {"A stack of layers keeps PyTorch from its persistent kernels", "3.58×",
        "estimate from a similar layer", "Use one module per layer", "torch.nn.ModuleList",
        "several_layers", "the 100 longest of 9,720 kernels in 27 RNN", "get_algo",
        "Why not persist_static? 13 of 15 conditions hold", "exact: the same function"})
    EXPECT_TRUE(text.contains(QString::fromUtf8(part))) << part;
  EXPECT_TRUE(html.contains(QStringLiteral("evidence:0")));
  EXPECT_TRUE(html.contains(QStringLiteral("copy:0/0")));  // the command
  EXPECT_TRUE(html.contains(QStringLiteral("copy:0/1")));
  EXPECT_TRUE(text.contains(QStringLiteral("rnnadvisor accelerate -- python3")));
  EXPECT_TRUE(html.contains(QStringLiteral("explore:0/0/1")));
}

TEST(FindingPage, EvidenceIsTheLongestFirstAndSaysHowMuchMore) {
  const auto document = sample("programs/pytorch-two-layers");
  const auto& finding = document->judgement().findings.at(0);
  ASSERT_GT(finding.kernels.size(), 6U);
  const QString text = text_of(finding_page(*document, 0, light_theme()));
  EXPECT_TRUE(text.contains(QStringLiteral("%1 more kernels").arg(finding.kernels.size() - 6)));
  static const QRegularExpression kernels(QStringLiteral("kernel (\\d+)\n"));
  std::int64_t last = -1;
  int shown = 0;
  for (auto all = kernels.globalMatch(text); all.hasNext(); ++shown) {
    const int index = all.next().captured(1).toInt();
    const auto length = document->range_of({ItemKind::kernel, index}).length();
    if (last >= 0) {
      EXPECT_LE(length, last);
    }
    last = length;
  }
  EXPECT_EQ(shown, 6);
}

TEST(Page, RulesThatATextNamesAreLinks) {
  Page page(light_theme());
  const QString html = page.prose("`launch/gpu-idle` proposes `x<y` too.", *test_rules());
  EXPECT_TRUE(html.contains(QStringLiteral("href=\"rule:launch/gpu-idle\"")));
  EXPECT_TRUE(html.contains(Page::prose(test_rules()->find("launch/gpu-idle")->title)));
  EXPECT_TRUE(html.contains(QStringLiteral("<code>x&lt;y</code>")));
}

// All that it takes holds: that is no "why not".
TEST(Page, WhatWouldRunIsLabelled) {
  advisor::ConfigurationReport report;
  const auto document = sample("programs/pytorch-two-layers");
  report.configuration = &document->profile().configurations.front();
  ASSERT_EQ(report.configuration->config.algo, Algo::standard);
  model::WhyNot table;
  table.algo = Algo::persist_static;
  table.clauses.resize(3);
  for (auto& clause : table.clauses) clause.holds = model::Holds::yes;
  const auto text = [&] {
    Page page(light_theme());
    draw(page, advisor::document::why_not_of(report, table, advisor::document::window));
    return text_of(page.take());
  };
  EXPECT_TRUE(text().contains(
      QStringLiteral("persist_static would run if it were asked for: all 3 conditions hold")));
  table.clauses.back().holds = model::Holds::no;
  EXPECT_TRUE(text().contains(QStringLiteral("Why not persist_static? 2 of 3 conditions hold")));
}

// A rule that measurements of this kind of GPU refute is shown as refuted, and offers no change.
TEST(FindingPage, OffersNothingThatMeasuringRefuted) {
  const auto document = sample("ptb-large");
  const auto& findings = document->judgement().findings;
  const auto refuted =
      std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.refuted_by; });
  ASSERT_NE(refuted, findings.end());
  ASSERT_FALSE(refuted->suggestions.empty());
  const QString html =
      finding_page(*document, static_cast<int>(refuted - findings.begin()), light_theme());
  const QString text = text_of(html);
  EXPECT_TRUE(text.contains(QStringLiteral("Measuring refuted it: ") +
                            QString::number(refuted->refuted_by->refute)));
  EXPECT_FALSE(text.contains(QStringLiteral("What to do")));
  for (const char* link : {"\"copy:", "\"trial:", "\"explore:"})
    EXPECT_FALSE(html.contains(QString::fromUtf8(link))) << link;
}

TEST(Pages, EveryLinkLeadsSomewhere) {
  for (const char* name : {"programs/pytorch-two-layers", "planted-failures"}) {
    const auto document = sample(name);
    for (int i = 0; document->holds({ItemKind::finding, i}); ++i)
      expect_links(finding_page(*document, i, dark_theme()));
    for (int i = 0; document->holds({ItemKind::configuration, i}); ++i)
      expect_links(configuration_page(*document, i, light_theme()));
    for (const ItemKind kind : {ItemKind::call, ItemKind::kernel, ItemKind::transfer, ItemKind::api,
                                ItemKind::nvtx, ItemKind::allocation}) {
      if (!document->holds({kind, 0})) continue;
      const QString html = item_page(*document, {kind, 0}, light_theme());
      EXPECT_FALSE(html.isEmpty());
      expect_links(html);
    }
  }
  for (const auto& rule : test_rules()->rules) {
    const QString html = rule_page(rule, light_theme());
    EXPECT_TRUE(text_of(html).contains(to_qt(rule.title))) << rule.id;
    expect_links(html);
  }
}

// What the written page of a rule has, the window's has, too.
TEST(Pages, ARulesPageHasAllOfTheCard) {
  for (const auto& rule : test_rules()->rules) {
    const QString html = rule_page(rule, light_theme());
    // Between backticks is code, shown without them; a factor is shown with ×.
    const auto plain = [](QString text) {
      text.remove(QLatin1Char('`')).replace(QChar(0xd7), QLatin1Char('x'));
      return text.simplified();
    };
    const QString text = plain(text_of(html));
    const auto expect = [&](std::string_view part) {
      EXPECT_TRUE(text.contains(plain(to_qt(std::string(part))))) << rule.id << ": " << part;
    };
    const auto expect_conditions = [&](const advisor::ConditionSet& set) {
      for (const auto& line : describe(set)) expect(line);
    };
    for (const auto& part : {rule.id, rule.criterion, std::string(to_string(rule.confidence)),
                             rule.consequence, rule.message, "tests/rules/" + rule.id + ".toml"})
      expect(part);
    expect_conditions(rule.applies_when);
    expect_conditions(rule.when);
    for (const auto& each : rule.suggestions) {
      expect(each.text);
      expect(each.framework);
      expect(each.code);
      expect_conditions(each.applies_when);
      for (const auto& by_fact : each.transform_facts)
        expect(by_fact.parameter + " from " + advisor::fact_definition(by_fact.fact).name);
    }
    for (const auto& gain : rule.gains) {
      expect(describe(gain));
      expect_conditions(gain.applies_when);
    }
    for (const auto& citation : rule.citations) {
      expect(advisor::describe(citation));
      expect(citation.quote);
      EXPECT_TRUE(html.contains(to_qt(citation.url).toHtmlEscaped())) << citation.url;
    }
    for (const auto& line : describe_validity(rule)) expect(line);
    for (const auto& record : rule.validity) {
      expect(std::to_string(record.agree) + " agree");
      EXPECT_TRUE(!advisor::refuted(record) || text.contains(QStringLiteral("refuted there")));
      expect(record.evidence);
    }
  }
}

TEST(Pages, WhatAProfileSaysIsText) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Configuration configuration;
  configuration.config.id = "<img src=x onerror=alert(1)><b>bold</b>";
  configuration.device = device;
  builder.add_configuration(std::move(configuration));
  const Document document(builder.finish(), test_rules(), QStringLiteral("x"));
  const QString html = configuration_page(document, 0, light_theme());
  EXPECT_FALSE(html.contains(QStringLiteral("<img")));
  EXPECT_TRUE(text_of(html).contains(QStringLiteral("<b>bold</b>")));
}

TEST(Pages, CodeInCardsIsCodeAndNothingElse) {
  EXPECT_EQ(Page::prose("Use `rnnadvisor run`, not `<script>` or `this & <b>"),
            QStringLiteral("Use <code>rnnadvisor run</code>, not <code>&lt;script&gt;</code> or "
                           "`this &amp; &lt;b&gt;"));
  advisor::RuleSet rules = *test_rules();
  advisor::Rule* rule = nullptr;
  for (auto& each : rules.rules) {
    if (each.id == "pytorch/split-stack") rule = &each;
  }
  ASSERT_NE(rule, nullptr);
  rule->title = "A `title`";
  rule->message = "Use `rnnadvisor run`, `<script>alert(1)</script>`, not `this & <b>bold</b>";
  rule->explanation = "First `one`.\n\nThen\n`<img src=x>` and `half";
  ASSERT_FALSE(rule->suggestions.empty());
  for (auto& each : rule->suggestions) each.text = "Try `a<b`";
  const Document document(Profile(sample("programs/pytorch-two-layers")->profile()),
                          std::make_shared<const advisor::RuleSet>(rules), QStringLiteral("x"));
  const auto& findings = document.judgement().findings;
  const auto found = std::find_if(findings.begin(), findings.end(), [](const auto& each) {
    return each.rule_id == "pytorch/split-stack";
  });
  ASSERT_NE(found, findings.end());
  const QString of_finding =
      finding_page(document, static_cast<int>(found - findings.begin()), light_theme());
  const QString of_rule = rule_page(*rule, light_theme());
  for (const QString& html : {of_finding, of_rule}) {
    EXPECT_TRUE(html.contains(QStringLiteral("A <code>title</code>")));
    EXPECT_TRUE(html.contains(QStringLiteral("<code>rnnadvisor run</code>")));
    EXPECT_TRUE(html.contains(QStringLiteral("<code>a&lt;b</code>")));
    EXPECT_FALSE(html.contains(QStringLiteral("<script")));
    EXPECT_FALSE(html.contains(QStringLiteral("<b>bold")));
    EXPECT_TRUE(text_of(html).contains(
        QStringLiteral("Use rnnadvisor run, <script>alert(1)</script>, not `this & <b>bold</b>")));
  }
  EXPECT_TRUE(text_of(of_rule).contains(QStringLiteral("Then <img src=x> and `half")));
}

TEST(Pages, ARuleSaysWhereItWasTried) {
  advisor::Rule rule;
  rule.title = "A criterion";
  const DeviceSpec h200 = find_device("h200").value(), other = find_device("a100").value();
  ASSERT_NE(h200.id, other.id);
  const auto text = [&](std::span<const DeviceSpec> devices) {
    return text_of(rule_page(rule, light_theme(), devices));
  };
  EXPECT_TRUE(text({}).contains(QStringLiteral("No trial is recorded with the card")));
  EXPECT_TRUE(text({&h200, 1})
                  .contains(QStringLiteral("No trial on %1 is recorded").arg(to_qt(h200.name))));
  rule.validity.push_back({h200.id, "9.19.0", "2026-11-20", "2.8x", "tests/data/x.json", 46, 2});
  EXPECT_TRUE(text({&h200, 1}).contains(QStringLiteral("this device")));
  EXPECT_TRUE(text({&h200, 1}).contains(QStringLiteral("46 agree, 2 refute")));
  EXPECT_TRUE(text({&h200, 1}).contains(QStringLiteral("2.8×"))) << "as every other factor";
  EXPECT_TRUE(text({&h200, 1}).contains(QStringLiteral("tests/data/x.json")));
  EXPECT_FALSE(text({&h200, 1}).contains(QStringLiteral("No trial")));
  EXPECT_FALSE(text({&other, 1}).contains(QStringLiteral("this device")));
  EXPECT_TRUE(text({&other, 1})
                  .contains(QStringLiteral("No trial on %1 is recorded").arg(to_qt(other.name))));
  EXPECT_FALSE(text({}).contains(QStringLiteral("No trial")));
  rule.citations.push_back({});
  rule.citations.back().tag = 'M';
  EXPECT_TRUE(text({&other, 1}).contains(QStringLiteral("measurements it cites")));
  EXPECT_TRUE(text({}).contains(QStringLiteral("every device and version")));
  rule.cudnn_range = ">= 9";
  EXPECT_FALSE(text({}).contains(QStringLiteral("every device and version")));
}

TEST(Pages, AFindingSaysWhatCameOfItsSuggestion) {
  Profile profile = sample("programs/pytorch-two-layers")->profile();
  Experiment made;
  made.configuration = 0;
  made.device = 0;
  made.where = "cudnn";
  made.meaning = "exact";
  made.transforms = R"([{"kind":"split_layers","parameters":{}}])";
  made.verdict = ExperimentVerdict::confirmed;
  ExperimentTiming timing;
  timing.scope = ExperimentScope::training_step;
  timing.speedup = 1.44;
  timing.speedup_low = 1.4;
  timing.speedup_high = 1.48;
  timing.control_low = 0.99;
  timing.control_high = 1.01;
  made.timings = {timing};
  profile.experiments = {made};
  const Document document(std::move(profile), test_rules(), QStringLiteral("x"));
  bool said = false;
  for (int i = 0; document.holds({ItemKind::finding, i}); ++i) {
    const QString text = text_of(finding_page(document, i, light_theme()));
    const bool tried = text.contains(QStringLiteral("Tried: confirmed · 1.44× (1.40 to 1.48)"));
    const auto& finding = document.judgement().findings[static_cast<std::size_t>(i)];
    EXPECT_EQ(tried, finding.trial.has_value()) << text.toStdString();
    said = said || tried;
  }
  EXPECT_TRUE(said);
}

TEST(OverviewCharts, PartsAddUp) {
  const auto document = sample("programs/pytorch-two-layers");
  const auto chosen = longest_configurations(*document, 4);
  ASSERT_FALSE(chosen.empty());
  const auto& report = document->report().configurations[static_cast<std::size_t>(chosen.front())];
  for (const auto& time : advisor::phase_times(report)) {
    double sum = 0;
    for (const auto& part : time.parts) sum += part.ms;
    EXPECT_NEAR(sum, time.kernel_ms, 1e-9);
    const auto* row = report.phase(time.phase);
    ASSERT_NE(row, nullptr);
    EXPECT_NEAR(time.kernel_ms, row->kernel_ms, row->kernel_ms * 0.02);
    // What ran and what idled make the traced call: the share that ran is the report's.
    if (time.idle_ms > 0) {
      EXPECT_NEAR(time.kernel_ms / (time.kernel_ms + time.idle_ms), row->busy, 1e-9);
    }
  }
  const auto& memory = document->report().configurations.front().memory;
  std::int64_t sum = 0;
  for (const auto& part : advisor::chart::memory_parts(memory)) sum += part.bytes;
  EXPECT_EQ(sum, memory.total);
}

}  // namespace
}  // namespace rnnadvisor::gui
