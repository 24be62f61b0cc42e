/* Covey for C++17, with more for C++20: the library of covey.h with types. Header only. C and C++ share worlds,
 * entities and components. See docs/cpp.md.
 *
 *     struct Position { float x, y; };
 *     COVEY_CPP_DEFINE(Position);
 *
 *     covey::world world;
 *     covey::entity e = world.create();
 *     world.add<Position>(e, 1.f, 2.f);
 *     world.get<Position>(e)->x += 1;
 *     for (auto [each, p] : world.view<Position>()) p.y += 1;
 *
 * Every call has the noun and the verb that it has in C: covey_pool_sort(pool, ...) is pool.sort(...), and
 * covey_add(world, e, T, ...) is world.add<T>(e, ...). Objects convert to the pointers of C, so calls of C take them.
 * Nothing throws, and nothing is allocated that C would not allocate.
 *
 * A component is a class of its own: where C makes two components of one type with a second typedef, C++ derives. An
 * empty class is a tag. Trivially copyable types, and those with options().relocatable(), are moved with memcpy, others
 * by their move constructor. A destructor or copy constructor that is not trivial becomes the drop or copy hook.
 *
 * This header includes these, which are part of it:
 *
 *     covey/type.hpp         component types
 *     covey/world.hpp        worlds, entities, components, resources
 *     covey/pool.hpp         held pools
 *     covey/sort.hpp         sorting them
 *     covey/view.hpp         views and their loops
 *     covey/group.hpp        groups
 *     covey/react.hpp        listeners, queues and reactive sets
 *     covey/commands.hpp     command buffers
 *
 * Optional features have headers of their own: covey/events.hpp, covey/hierarchy.hpp, covey/history.hpp,
 * covey/image.hpp, covey/lookup.hpp, covey/schedule.hpp. Headers below covey/detail/ are not API. */
#ifndef COVEY_HPP
#define COVEY_HPP

#include <covey/covey.h>

#include <new>
#include <optional>
#if defined(__has_include) && __cplusplus > 201703L
#if __has_include(<span>)
#include <span>
#endif
#endif
#include <tuple>
#include <type_traits>
#include <utility>

#include <covey/type.hpp>

#include <covey/detail/range.hpp>

#include <covey/world.hpp>

#include <covey/sort.hpp>

#include <covey/pool.hpp>

#include <covey/view.hpp>

#include <covey/group.hpp>

#include <covey/react.hpp>

#include <covey/commands.hpp>

#endif /* COVEY_HPP */
