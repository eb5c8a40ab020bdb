// FileFollower: watches a file that is being written until it stays as it is. It asks for size and
// time now and then: that works on network disks, which do not notify of changes.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

namespace rnnadvisor::gui {

class FileFollower : public QObject {
  Q_OBJECT
 public:
  explicit FileFollower(QObject* parent = nullptr);

  // Another file ends the following of the one before.
  void follow(const QString& path);
  void stop();
  bool following() const { return timer_.isActive(); }
  const QString& path() const { return path_; }
  // It is whole once it has stayed the same for `quiet_ms`; it is asked every `every_ms`.
  void set_patience(int every_ms, int quiet_ms);

 signals:
  void grew(const QString& path, qint64 bytes);
  void settled(const QString& path);

 private:
  void look();

  QTimer timer_;
  QString path_;
  qint64 bytes_ = -1;
  QDateTime changed_;
  int quiet_ms_ = 2500, quiet_for_ms_ = 0;
};

}  // namespace rnnadvisor::gui
