// Models in memory, written from the formats' descriptions: for drawn layers and for damaged files.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace rnnadvisor::advisor {

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8U) text += static_cast<char>(value & 0xffU);
  return text;
}

// --- protobuf ---
inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7U) text += static_cast<char>(0x80U | (value & 0x7fU));
  return text + static_cast<char>(value);
}
inline std::string number_field(int number, std::int64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3U) +
         varint(static_cast<std::uint64_t>(value));
}
inline std::string bytes_field(int number, const std::string& bytes) {
  return varint((static_cast<std::uint64_t>(number) << 3U) | 2U) + varint(bytes.size()) + bytes;
}

// --- ONNX ---
inline std::string onnx_tensor(const std::string& name, int type,
                               const std::vector<std::int64_t>& sizes, bool packed) {
  std::string text, numbers;
  for (const auto size : sizes) {
    numbers += varint(static_cast<std::uint64_t>(size));
    if (!packed) text += number_field(1, size);
  }
  if (packed) text += bytes_field(1, numbers);
  return text + number_field(2, type) + bytes_field(8, name) + bytes_field(9, "data");
}
// A size of -1 is the symbol "free".
inline std::string onnx_value(const std::string& name, int type,
                              const std::vector<std::int64_t>& sizes) {
  std::string shape;
  for (const auto size : sizes)
    shape += bytes_field(1, size < 0 ? bytes_field(2, "free") : number_field(1, size));
  const auto tensor = number_field(1, type) + bytes_field(2, shape);
  return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor));
}
inline std::string onnx_number(const std::string& name, std::int64_t value) {
  return bytes_field(5, bytes_field(1, name) + number_field(3, value) + number_field(20, 2));
}
inline std::string onnx_text(const std::string& name, const std::string& value) {
  return bytes_field(5, bytes_field(1, name) + bytes_field(4, value) + number_field(20, 3));
}
inline std::string onnx_graph_attribute(const std::string& name, const std::string& graph) {
  return bytes_field(5, bytes_field(1, name) + bytes_field(6, graph) + number_field(20, 5));
}
inline std::string onnx_node(const std::string& op, const std::string& name,
                             const std::vector<std::string>& inputs,
                             const std::string& attributes) {
  std::string text;
  for (const auto& input : inputs) text += bytes_field(1, input);
  return text + bytes_field(2, name + "_y") + bytes_field(3, name) + bytes_field(4, op) +
         attributes;
}
inline std::string onnx_model(const std::string& graph) {
  return number_field(1, 8) + bytes_field(2, "test") + bytes_field(3, "1") + bytes_field(7, graph);
}

// --- ZIP ---
struct ZipFile {
  std::string name, text;
  bool deflated = false;
};
inline std::string deflated(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}
// `stated_size`: what the archive says of each file's size, where that is not the truth.
inline std::string zip(const std::vector<ZipFile>& files, std::int64_t stated_size = -1) {
  std::string archive, directory;
  for (const auto& file : files) {
    const auto packed = file.deflated ? deflated(file.text) : file.text;
    const auto size = stated_size < 0 ? file.text.size() : static_cast<std::size_t>(stated_size);
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(file.text.data()),
                           static_cast<uInt>(file.text.size()));
    const auto common =
        little_endian(20, 2) + little_endian(0, 2) + little_endian(file.deflated ? 8 : 0, 2) +
        little_endian(0, 4) + little_endian(crc, 4) + little_endian(packed.size(), 4) +
        little_endian(size, 4) + little_endian(file.name.size(), 2) + little_endian(0, 2);
    directory += "PK\1\2" + little_endian(20, 2) + common + little_endian(0, 10) +
                 little_endian(archive.size(), 4) + file.name;
    archive += "PK\3\4" + common + file.name + packed;
  }
  const auto count = little_endian(files.size(), 2);
  return archive + directory + "PK\5\6" + little_endian(0, 4) + count + count +
         little_endian(directory.size(), 4) + little_endian(archive.size(), 4) +
         little_endian(0, 2);
}
inline std::string keras_archive(const nlohmann::json& description, bool packed = false) {
  return zip({{"metadata.json", R"({"keras_version": "3.15.0"})", packed},
              {"config.json", description.dump(), packed}});
}

// --- safetensors ---
inline std::string safetensors(const nlohmann::json& header) {
  const auto text = header.dump();
  return little_endian(text.size(), 8) + text;
}

}  // namespace rnnadvisor::advisor
