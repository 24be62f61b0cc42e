/* Covey for C++17, optional: images (covey/image.h).
 *
 *     covey::image saved;
 *     if (!saved.save(world)) ...
 *     std::fwrite(saved.bytes(), 1, saved.size(), file);
 *
 *     covey_report report;
 *     covey_load_desc desc = {};
 *     desc.types = covey::type_list<Position, Velocity>;
 *     covey::world fresh;
 *     if (!saved.load(fresh, desc, &report)) std::puts(report.text);
 *
 *     if (!covey::save_to_file(world, "game.covey")) ...
 *     if (!covey::load_from_file(fresh, "game.covey", desc)) ...
 *     if (!covey::save_to_stream(world, [&](const void *bytes, size_t size) { return send(bytes, size); })) ... */
#ifndef COVEY_IMAGE_HPP
#define COVEY_IMAGE_HPP

#include <covey/covey.hpp>
#include <covey/detail/kind.hpp>
#include <covey/image.h>

namespace covey {

/* A list of types, as descriptions of saving and loading have it. */
template <class... T> inline constexpr const covey_type *type_list[] = { type_of<T>()..., nullptr };

/* ---- Values that own memory ----------------------------------------------------------------------------------------
 *
 * Two functions save and load what a value owns:
 *
 *     void path_save(covey::codec_writer to, const Path &path) {
 *         to.write_count(path.steps.size());
 *         to.write(path.steps.data(), path.steps.size());
 *     }
 *     void path_load(covey::codec_reader from, Path &path) {
 *         path.steps.resize(from.read_count<float>());
 *         from.read(path.steps.data(), path.steps.size());
 *     }
 *     COVEY_CPP_DEFINE(Path, covey::options().codec(&covey::codec_of<path_save, path_load>));
 *
 * They may return a covey_result: see covey/image.h. Loading begins with T(). For types without fields. */

class codec_writer {
  public:
    explicit codec_writer(covey_codec_writer *to) noexcept : to_(to) {}
    /* Numbers, characters, and handles of entities. */
    template <class Value> void write(const Value *values, size_t count) const noexcept {
        covey_codec_write(to_, detail::kind_of<Value>(), values, count);
    }
    /* How many values follow. */
    void write_count(size_t count) const noexcept { covey_codec_write_count(to_, static_cast<uint32_t>(count)); }

  private:
    covey_codec_writer *to_;
};

class codec_reader {
  public:
    explicit codec_reader(covey_codec_reader *from) noexcept : from_(from) {}
    /* After a failed read, all give zeros, and the image is refused. */
    template <class Value> bool read(Value *values, size_t count) const noexcept {
        return covey_codec_read(from_, detail::kind_of<Value>(), values, count);
    }
    /* How many values follow: never many more than the image has bytes for. */
    template <class Value> uint32_t read_count() const noexcept {
        return covey_codec_read_count(from_, detail::kind_of<Value>());
    }
    template <class Value> size_t left() const noexcept { return covey_codec_left(from_, detail::kind_of<Value>()); }

  private:
    covey_codec_reader *from_;
};

namespace detail {

/* Calls a function that may return a result. */
template <class Function, class... Arguments> covey_result result_of(Function function, Arguments &&...arguments) {
    if constexpr (std::is_void_v<std::invoke_result_t<Function, Arguments...>>) {
        function(std::forward<Arguments>(arguments)...);
        return COVEY_OK;
    } else {
        return function(std::forward<Arguments>(arguments)...);
    }
}

template <class Load> struct loaded;
template <class R, class T> struct loaded<R (*)(codec_reader, T &)> { using type = T; };

template <auto Save, auto Load> struct codec_functions {
    using T = typename loaded<decltype(Load)>::type;

    static covey_result save(covey_codec_writer *to, const void *value, void *) noexcept {
        return result_of(Save, codec_writer(to), *static_cast<const T *>(value));
    }
    static covey_result load(covey_codec_reader *from, void *at, void *) noexcept {
        T *value = nullptr;
        covey_result done = COVEY_ERROR_MEMORY;
#if defined(__cpp_exceptions)
        try {
#endif
            value = ::new (at) T();
            done = result_of(Load, codec_reader(from), *value);
#if defined(__cpp_exceptions)
        } catch (...) {
            done = COVEY_ERROR_MEMORY;
        }
#endif
        if (done != COVEY_OK && value) value->~T();
        return done;
    }
};

} // namespace detail

template <auto Save, auto Load>
inline constexpr covey_codec codec_of = { detail::codec_functions<Save, Load>::save,
                                          detail::codec_functions<Save, Load>::load, 0 };

/* ---- Images -------------------------------------------------------------------------------------------------------*/

/* Owns the bytes of an image. */
class image {
  public:
    image() noexcept : buffer_() {}
    explicit image(const covey_allocator &allocator) noexcept : buffer_() { buffer_.allocator = allocator; }
    image(image &&other) noexcept : buffer_(std::exchange(other.buffer_, covey_buffer())) {}
    image &operator=(image &&other) noexcept {
        if (this != &other) {
            covey_buffer_free(&buffer_);
            buffer_ = std::exchange(other.buffer_, covey_buffer());
        }
        return *this;
    }
    ~image() { covey_buffer_free(&buffer_); }

    const unsigned char *bytes() const noexcept { return buffer_.bytes; }
    size_t size() const noexcept { return buffer_.size; }

    /* Replaces the bytes by those of a world; or by those of a file, at most `limit` of them. After a failure they are
     * what they were. */
    covey::result save(world_ref from, const covey_save_desc &desc = {}, covey_report *report = nullptr) noexcept {
        image made(buffer_.allocator);
        return keep(std::move(made), covey_save_to_buffer(from, &made.buffer_, &desc, report));
    }
    covey::result read_file(const char *path, uint64_t limit = 0, covey_report *report = nullptr) noexcept {
        image made(buffer_.allocator);
        return keep(std::move(made), covey_file_read(path, limit, &made.buffer_, report));
    }
    covey::result load(world_ref into, const covey_load_desc &desc = {},
                       covey_report *report = nullptr) const noexcept {
        return covey_load_from_memory(into, bytes(), size(), &desc, report);
    }
    covey::result merge(world_ref into, const covey_load_desc &desc = {},
                        covey_report *report = nullptr) const noexcept {
        return covey_merge_from_memory(into, bytes(), size(), &desc, report);
    }

    /* What is in it; nothing if it is damaged, or there is no section of this number. */
    std::optional<covey_image_info> info(covey_report *report = nullptr) const noexcept {
        covey_image_info found = {};
        return covey_image_read_info(bytes(), size(), &found, report) ? std::optional<covey_image_info>(found)
                                                                      : std::nullopt;
    }
    std::optional<covey_section> section(uint32_t number, covey_report *report = nullptr) const noexcept {
        covey_section found = {};
        return covey_image_section(bytes(), size(), number, &found, report) ? std::optional<covey_section>(found)
                                                                            : std::nullopt;
    }
    /* All sections. Writes at most `capacity` and returns how many there are. */
    uint32_t sections(covey_section *sections, uint32_t capacity, covey_report *report = nullptr) const noexcept {
        return covey_image_sections(bytes(), size(), sections, capacity, report);
    }

  private:
    /* The second argument is evaluated before the first is moved from. */
    covey::result keep(image &&made, covey_result done) noexcept {
        if (done == COVEY_OK) *this = std::move(made);
        return done;
    }

    covey_buffer buffer_;
};

inline result save_to_file(world_ref from, const char *path, const covey_save_desc &desc = {},
                           covey_report *report = nullptr) noexcept {
    return covey_save_to_file(from, path, &desc, report);
}
/* Passes the bytes to sink(const void *, size_t), part by part; it returns false to stop, and must not throw. */
template <class Sink>
result save_to_stream(world_ref from, Sink &&sink, const covey_save_desc &desc = {},
                      covey_report *report = nullptr) noexcept {
    static_assert(std::is_invocable_r_v<bool, Sink &, const void *, size_t>,
                  "covey: save_to_stream wants bool sink(const void *, size_t)");
    auto call = [](const void *bytes, size_t size, void *context) noexcept -> bool {
        return detail::call_as<bool>(*static_cast<std::remove_reference_t<Sink> *>(context), bytes, size);
    };
    return covey_save_to_stream(from, call, detail::context_of(sink), &desc, report);
}
inline result load_from_file(world_ref into, const char *path, const covey_load_desc &desc = {},
                             covey_report *report = nullptr) noexcept {
    return covey_load_from_file(into, path, &desc, report);
}
inline result merge_from_file(world_ref into, const char *path, const covey_load_desc &desc = {},
                              covey_report *report = nullptr) noexcept {
    return covey_merge_from_file(into, path, &desc, report);
}

/* Owns a follower, which must be destroyed before its world. Null if it could not be made. */
class follower {
  public:
    explicit follower(world_ref of) noexcept : follower_(covey_follower_create(of)) {}
    follower(follower &&other) noexcept : follower_(other.release()) {}
    follower &operator=(follower &&other) noexcept {
        if (this != &other) {
            covey_follower_destroy(follower_);
            follower_ = other.release();
        }
        return *this;
    }
    ~follower() { covey_follower_destroy(follower_); }
    operator covey_follower *() const noexcept { return follower_; }
    covey_follower *release() noexcept { return std::exchange(follower_, nullptr); }

    /* Updates what the images before have made. */
    covey::result follow(const void *bytes, size_t size, const covey_load_desc &desc = {},
                         covey_report *report = nullptr) const noexcept {
        return covey_follow_from_memory(follower_, bytes, size, &desc, report);
    }
    covey::result follow(const image &next, const covey_load_desc &desc = {},
                         covey_report *report = nullptr) const noexcept {
        return follow(next.bytes(), next.size(), desc, report);
    }
    /* The entity here that belongs to one of the source. */
    entity find(entity source) const noexcept { return covey_follower_find(follower_, source); }

  private:
    covey_follower *follower_;
};

} // namespace covey

#endif
