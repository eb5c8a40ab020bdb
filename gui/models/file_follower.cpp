#include "gui/models/file_follower.h"

#include <QFileInfo>

namespace rnnadvisor::gui {

FileFollower::FileFollower(QObject* parent) : QObject(parent) {
  timer_.setInterval(500);
  connect(&timer_, &QTimer::timeout, this, &FileFollower::look);
}

void FileFollower::set_patience(int every_ms, int quiet_ms) {
  timer_.setInterval(every_ms);
  quiet_ms_ = quiet_ms;
}

void FileFollower::follow(const QString& path) {
  path_ = path;
  const QFileInfo file(path);
  bytes_ = file.size();
  changed_ = file.lastModified();
  quiet_for_ms_ = 0;
  timer_.start();
}

void FileFollower::stop() { timer_.stop(); }

void FileFollower::look() {
  const QFileInfo file(path_);
  if (file.size() != bytes_ || file.lastModified() != changed_) {
    bytes_ = file.size();
    changed_ = file.lastModified();
    quiet_for_ms_ = 0;
    emit grew(path_, bytes_);
    return;
  }
  quiet_for_ms_ += timer_.interval();
  if (quiet_for_ms_ < quiet_ms_) return;
  stop();
  emit settled(path_);
}

}  // namespace rnnadvisor::gui
