// The window's page of a finding says all that the report says of it, for every finding of every
// recording: both are drawn from one content, and this is what that is for.
#include <gtest/gtest.h>

#include <QTextDocument>
#include <algorithm>
#include <filesystem>

#include "advisor/report/content.h"
#include "advisor/report/inline_code.h"
#include "advisor/report/words.h"
#include "core/model/time_for_device.h"
#include "gui/models/pages.h"
#include "tests/effort.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

namespace content = advisor::document;

QString normal(QString text) { return text.remove(QChar(0x200b)).simplified(); }

QString page_text(const QString& html) {
  QTextDocument document;
  document.setHtml(html);
  return normal(document.toPlainText());
}

// Texts of a card that are not on a page.
class Missing {
 public:
  Missing(QString page, const advisor::RuleSet& rules) : page_(std::move(page)), rules_(rules) {}

  void look_for(const content::Card& card) {
    look_for(card.title);
    look_for(card.message);
    look_for(card.rule);
    for (const auto& part : {card.gain.size, card.gain.rest, std::string(card.gain.basis)})
      look_for(part);
    for (const auto& entry : card.entries) {
      ++entries;
      look_for(entry.text);
      look_for(entry.word);
      for (const auto& block : entry.more) {
        if (const auto* p = std::get_if<content::Paragraph>(&block.is)) look_for(p->text);
        if (const auto* code = std::get_if<content::Code>(&block.is)) look_for(code->text);
      }
    }
  }

  std::vector<std::string> texts;
  int entries = 0;

 private:
  // A rule that a text names by its id is a link with its title there.
  void look_for(const content::Text& text) {
    for (const auto& run : text.runs) {
      const auto* rule = run.tone == content::Tone::code ? rules_.find(run.text) : nullptr;
      look_for(rule != nullptr ? advisor::without_code_marks(rule->title) : run.text);
    }
  }
  void look_for(const std::string& text) {
    const QString wanted = normal(to_qt(advisor::words::clean_lines(text)));
    if (!page_.contains(wanted)) texts.push_back(text);
  }

  QString page_;
  const advisor::RuleSet& rules_;
};

TEST(SameTexts, ThePageOfAFindingSaysWhatTheReportSaysOfIt) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const auto& file :
       fs::recursive_directory_iterator(RNNADVISOR_SOURCE_DIR "/samples/recorded"))
    if (file.path().extension() == ".rnnprof") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 31u);
  int findings = 0, entries = 0;
  for (std::size_t index = 0; const auto& file : files) {
    if (test::left_to_all_draws(index++, 3)) continue;
    SCOPED_TRACE(file.string());
    OpenOptions options;
    options.predict_for = model::predict_time_for;  // as the program does
    const auto document =
        open_document(QString::fromStdString(file.string()), test_rules(), options).value();
    const content::Content report{document->report(), content::text_file};
    for (int i = 0; document->holds({ItemKind::finding, i}); ++i) {
      const auto& finding = document->judgement().findings[static_cast<std::size_t>(i)];
      Missing missing(page_text(finding_page(*document, i, light_theme())), document->rules());
      missing.look_for(content::finding_of(report, {{&finding}}));
      for (const auto& text : missing.texts) ADD_FAILURE() << finding.rule_id << " lacks: " << text;
      ++findings;
      entries += missing.entries;
    }
  }
  EXPECT_GT(findings, 30);
  EXPECT_GT(entries, 5 * findings);
}

TEST(SameTexts, AMissingOneIsFound) {
  const auto document = sample("programs/pytorch-two-layers");
  const auto& finding = document->judgement().findings.at(0);
  auto card = content::finding_of({document->report(), content::text_file}, {{&finding}});
  const QString page = page_text(finding_page(*document, 0, light_theme()));
  const auto missing = [&] {
    Missing found(page, document->rules());
    found.look_for(card);
    return found.texts;
  };
  EXPECT_TRUE(missing().empty());
  card.message += " x/y";
  card.entries.back().text += " z/w";
  EXPECT_EQ(missing(), (std::vector<std::string>{" x/y", " z/w"}));
}

}  // namespace
}  // namespace rnnadvisor::gui
