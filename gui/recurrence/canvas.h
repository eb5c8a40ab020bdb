// The picture of unrolled calls: a block for each call, a row for each layer and direction.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "gui/access.h"
#include "gui/models/item.h"
#include "gui/recurrence/unroll.h"
#include "gui/theme.h"

namespace rnnadvisor::gui::recurrence {

struct Block {
  Unrolled call;
  QString label;  // of the call
};

class Canvas : public QWidget, public Described {
  Q_OBJECT
 public:
  explicit Canvas(QWidget* parent = nullptr);
  void set_blocks(std::vector<Block> blocks);
  void set_theme(const Theme& theme);
  void set_by_step(bool by_step);
  // The kernel that is selected, by its stream and when it begins; -1: none.
  void set_marked(int stream, std::int64_t begin_ns);
  const std::vector<Unrolled>& calls() const { return calls_; }
  // What a column of the full height stands for, by step.
  std::int64_t longest_step_ns() const { return longest_step_ns_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {420, 90}; }

  QAccessible::Role described_role() const override { return QAccessible::Chart; }
  QString described_content() const override;
  QString described_selection() const override { return describe(current_); }

  // What lies under a point: a row of a block and a step of it.
  struct Under {
    int block = -1, row = -1, step = -1;
    bool operator==(const Under&) const = default;
  };
  Under under(QPointF position) const;
  // The text of what the pointer or the keys are on; empty where there is nothing.
  QString describe(const Under& at) const;

 signals:
  void chosen(int kernel);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Place {  // of a block, from above
    int top = 0, note = 0, rows = 0, axis = 0;
  };
  Place place(std::size_t block) const;
  int row_height() const;
  int left() const;   // of the cells
  int cells() const;  // their width
  QString row_name(const Unrolled& call, const UnrolledRow& row) const;
  QString note(const Unrolled& call) const;
  void paint_block(QPainter& painter, std::size_t block);
  void paint_in_time(QPainter& painter, const Unrolled& call, const UnrolledRow& row, QRect box);
  void paint_by_step(QPainter& painter, const Unrolled& call, const UnrolledRow& row, QRect box);
  void paint_frames(QPainter& painter, std::size_t block, std::size_t row, QRect box);
  void paint_others(QPainter& painter, const Unrolled& call, QRect box);
  void paint_axis(QPainter& painter, const Unrolled& call, int y);
  void paint_statistics(QPainter& painter, const UnrolledRow& row, const Unrolled& call, QRect box);
  // Returns its width.
  int paint_legend(QPainter& painter, const Unrolled& call, int y);
  int step_x(int step) const;
  void choose(const Under& at);

  std::vector<Block> blocks_;
  std::vector<Unrolled> calls_;
  Theme theme_;
  bool by_step_ = false;
  int marked_stream_ = -1;
  std::int64_t marked_ns_ = -1;
  Under hovered_, current_;
  // Shared by all blocks, so that they can be compared.
  std::int64_t longest_call_ns_ = 1, longest_step_ns_ = 1;
  int most_steps_ = 1;
};

}  // namespace rnnadvisor::gui::recurrence
