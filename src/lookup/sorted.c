/* Sorted entries: a B+tree. sorted.h draws it. */
#include "lookup/sorted.h"

#include "memory/alloc.h"
#include "memory/lines.h"
#include "memory/result.h"

#include <stdalign.h>

/* A level has at most half as many nodes as the one below, rounded up: so 33 levels are enough for all indices. */
enum { MOST = COVEY_NODE_MOST, HALF = MOST / 2, LEVELS = 33, AHEAD = 6 };

typedef covey__sorted_node node;
typedef covey__sorted_branch branch;

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static uint32_t nodes_for(uint32_t entries) { return entries == 0 ? 0 : (entries - 1) / HALF + 1; }

static uint32_t branches_for(uint32_t entries) {
    uint32_t sum = 0;
    for (uint32_t nodes = nodes_for(entries); nodes > 1; sum += nodes) nodes = nodes_for(nodes);
    return sum;
}

static bool reserve_leaves(covey__heap *heap, covey__sorted *s, uint32_t wanted) {
    uint32_t *capacity = &s->leaf_numbers.capacity;
    if (wanted <= *capacity) return true;
    node *leaves = covey__resize(heap, s->leaves, *capacity, wanted, sizeof *leaves, alignof(node));
    if (!leaves) return false;
    s->leaves = leaves;
    *capacity = wanted;
    return true;
}

static bool reserve_branches(covey__heap *heap, covey__sorted *s, uint32_t wanted) {
    uint32_t *capacity = &s->branch_numbers.capacity;
    if (wanted <= *capacity) return true;
    branch *branches = covey__resize(heap, s->branches, *capacity, wanted, sizeof *branches, alignof(branch));
    if (!branches) return false;
    s->branches = branches;
    *capacity = wanted;
    return true;
}

static bool reserve_texts(covey__heap *heap, covey__sorted *s, uint32_t wanted) {
    if (s->text_size == 0) return true;
    if (wanted > s->text_capacity) {
        char *texts = covey__resize(heap, s->texts, s->text_capacity, wanted, s->text_size, 1);
        if (!texts) return false;
        s->texts = texts;
        s->text_capacity = wanted;
    }
    if (wanted > s->owner_capacity) {
        uint32_t *owners = covey__resize(heap, s->owners, s->owner_capacity, wanted, sizeof *owners, alignof(uint32_t));
        if (!owners) return false;
        s->owners = owners;
        s->owner_capacity = wanted;
    }
    return true;
}

static bool reserve_exactly(covey__heap *heap, covey__sorted *s, uint32_t capacity) {
    if (!reserve_leaves(heap, s, nodes_for(capacity)) || !reserve_branches(heap, s, branches_for(capacity)) ||
        !reserve_texts(heap, s, capacity))
        return false;
    s->capacity = capacity;
    return true;
}

bool covey__sorted_reserve(covey__heap *heap, covey__sorted *s, uint64_t count) {
    if (count <= s->capacity) return true;
    if (count > UINT32_MAX / 2) return false;
    return reserve_exactly(heap, s, covey__grown(s->capacity, (uint32_t)count, UINT32_MAX / 2));
}

bool covey__sorted_reach(covey__heap *heap, covey__sorted *s, uint32_t index, uint32_t limit) {
    return covey__pages_reach(heap, &s->filed, index, limit, sizeof(covey__sorted_page)) != NULL;
}

void covey__sorted_clear(covey__sorted *s) {
    for (uint32_t i = 0; i < s->filed.count; i++) {
        covey__sorted_page *page = s->filed.at[i];
        if (page) memset(page->filed, 0, sizeof page->filed);
    }
    s->leaf_numbers.end = s->leaf_numbers.unused = s->branch_numbers.end = s->branch_numbers.unused = 0;
    s->root = s->height = s->count = 0;
    s->changes++;
}

void covey__sorted_free(covey__heap *heap, covey__sorted *s) {
    covey__free(heap, s->leaves, s->leaf_numbers.capacity, sizeof *s->leaves, alignof(node));
    covey__free(heap, s->branches, s->branch_numbers.capacity, sizeof *s->branches, alignof(branch));
    covey__free(heap, s->texts, s->text_capacity, s->text_size, 1);
    covey__free(heap, s->owners, s->owner_capacity, sizeof *s->owners, alignof(uint32_t));
    covey__pages_free(heap, &s->filed, sizeof(covey__sorted_page));
    *s = (covey__sorted){ .text_size = s->text_size };
}

size_t covey__sorted_bytes(const covey__sorted *s) {
    return s->leaf_numbers.capacity * sizeof *s->leaves + s->branch_numbers.capacity * sizeof *s->branches +
           (size_t)s->text_capacity * s->text_size + s->owner_capacity * sizeof *s->owners +
           covey__pages_bytes(&s->filed, sizeof(covey__sorted_page));
}

/* ---- Keys --------------------------------------------------------------------------------------------------------*/

static covey__sorted_page *page_of(const covey__sorted *s, uint32_t index) { return covey__page_at(&s->filed, index); }

static uint64_t *filed_key(const covey__sorted *s, uint32_t index) {
    return &page_of(s, index)->keys[index % COVEY__BLOCK_PAGE];
}

static char *text_at(const covey__sorted *s, uint64_t number) { return s->texts + (size_t)number * s->text_size; }

/* The first eight bytes of a text, so that their order is that of numbers. */
static uint64_t start_of(const char *text, uint32_t length) {
    uint64_t start = 0;
    for (uint32_t i = 0; i < 8; i++) start = start << 8 | (i < length ? (unsigned char)text[i] : 0);
    return start;
}

/* A key as nodes have it. A text may be longer than text_size: it is then in no entry. */
static covey__lookup_key in_nodes(const covey__sorted *s, const covey__lookup_key *key) {
    covey__lookup_key found = *key;
    if (key->text) found.bits = start_of(key->text, key->length < s->text_size ? key->length : s->text_size);
    return found;
}

/* Less than 0: the text of an index is below this one; 0: it is the same. */
static int compare_text(const covey__sorted *s, uint32_t index, const covey__lookup_key *key) {
    const char *text = text_at(s, *filed_key(s, index));
    if (key->length > s->text_size) return memcmp(text, key->text, s->text_size) <= 0 ? -1 : 1;
    int order = memcmp(text, key->text, key->length);
    return order == 0 && key->length < s->text_size && text[key->length] != 0 ? 1 : order;
}

covey__lookup_key covey__sorted_key_of(const covey__sorted *s, uint32_t index) {
    uint64_t key = *filed_key(s, index);
    if (s->text_size == 0) return (covey__lookup_key){ key, NULL, 0 };
    const char *text = text_at(s, key), *end = memchr(text, 0, s->text_size);
    return (covey__lookup_key){ 0, text, end ? (uint32_t)(end - text) : s->text_size };
}

bool covey__sorted_has(const covey__sorted *s, uint32_t index, const covey__lookup_key *key) {
    if (!covey__sorted_is_filed(s, index)) return false;
    return key->text ? compare_text(s, index, key) == 0 : *filed_key(s, index) == key->bits;
}

/* Notes the key of an index, behind the texts of the others. */
static void note(covey__sorted *s, uint32_t index, const covey__lookup_key *key) {
    covey__set_bit(page_of(s, index)->filed, index % COVEY__BLOCK_PAGE);
    *filed_key(s, index) = key->text ? s->count : key->bits;
    if (key->text) {
        char *text = text_at(s, s->count);
        memset(text, 0, s->text_size);
        memcpy(text, key->text, key->length);
        s->owners[s->count] = index;
    }
    s->count++;
    s->changes++;
}

/* The reverse: the last text moves to where that of the index was. */
static void forget(covey__sorted *s, uint32_t index) {
    page_of(s, index)->filed[index % COVEY__BLOCK_PAGE / 64] &= ~((uint64_t)1 << index % 64);
    s->count--;
    s->changes++;
    if (s->text_size == 0) return;
    uint64_t number = *filed_key(s, index);
    if (number == s->count) return;
    memcpy(text_at(s, number), text_at(s, s->count), s->text_size);
    s->owners[number] = s->owners[s->count];
    *filed_key(s, s->owners[number]) = number;
}

/* ---- Nodes -------------------------------------------------------------------------------------------------------*/

static node *leaf_at(const covey__sorted *s, uint32_t number) { return &s->leaves[number - 1]; }
static branch *branch_at(const covey__sorted *s, uint32_t number) { return &s->branches[number - 1]; }
static node *node_at(const covey__sorted *s, uint32_t level, uint32_t number) {
    return level == 0 ? leaf_at(s, number) : &branch_at(s, number)->node;
}
static branch *as_branch(node *n) { return (branch *)n; }

static uint32_t take_node(covey__sorted *s, uint32_t level) {
    covey__sorted_numbers *numbers = level == 0 ? &s->leaf_numbers : &s->branch_numbers;
    uint32_t number = numbers->unused;
    if (number == 0) number = ++numbers->end;
    else numbers->unused = node_at(s, level, number)->next;
    node *n = node_at(s, level, number);
    n->count = n->before = n->next = 0;
    return number;
}

static void leave_node(covey__sorted *s, uint32_t level, uint32_t number) {
    covey__sorted_numbers *numbers = level == 0 ? &s->leaf_numbers : &s->branch_numbers;
    node *n = node_at(s, level, number);
    if (n->before != 0) node_at(s, level, n->before)->next = n->next;
    if (n->next != 0) node_at(s, level, n->next)->before = n->before;
    n->next = numbers->unused;
    numbers->unused = number;
}

static void link_behind(const covey__sorted *s, uint32_t level, uint32_t number, uint32_t fresh) {
    node *n = node_at(s, level, number), *behind = node_at(s, level, fresh);
    behind->before = number;
    behind->next = n->next;
    if (n->next != 0) node_at(s, level, n->next)->before = fresh;
    n->next = fresh;
}

static void move(uint32_t level, node *to, uint32_t at, node *from, uint32_t first, uint32_t count) {
    memmove(&to->keys[at], &from->keys[first], count * sizeof *to->keys);
    memmove(&to->entities[at], &from->entities[first], count * sizeof *to->entities);
    if (level == 0) return;
    memmove(&as_branch(to)->children[at], &as_branch(from)->children[first], count * sizeof(uint32_t));
    memmove(&as_branch(to)->below[at], &as_branch(from)->below[first], count * sizeof(uint32_t));
}

static void open_gap(uint32_t level, node *n, uint32_t at) { move(level, n, at + 1, n, at, n->count++ - at); }
static void close_gap(uint32_t level, node *n, uint32_t at) { move(level, n, at, n, at + 1, --n->count - at); }

static void put_entry(node *n, uint32_t at, uint64_t key, covey_entity e) {
    n->keys[at] = key;
    n->entities[at] = e;
}

/* The entries in some of the children. */
static uint32_t entries_of(const branch *b, uint32_t first, uint32_t end) {
    uint32_t sum = 0;
    for (uint32_t i = first; i < end; i++) sum += b->below[i];
    return sum;
}

static uint32_t entries_in(uint32_t level, node *n) {
    return level == 0 ? n->count : entries_of(as_branch(n), 0, n->count);
}

static void put_child(const covey__sorted *s, uint32_t level, branch *parent, uint32_t at, uint32_t number) {
    node *child = node_at(s, level, number);
    put_entry(&parent->node, at, child->keys[0], child->entities[0]);
    parent->children[at] = number;
    parent->below[at] = entries_in(level, child);
}

static void remove_child(covey__sorted *s, uint32_t level, branch *parent, uint32_t at) {
    leave_node(s, level, parent->children[at]);
    close_gap(level + 1, &parent->node, at);
}

/* ---- Searching ---------------------------------------------------------------------------------------------------*/

static bool is_below(const covey__sorted *s, const node *n, uint32_t at, const covey__lookup_key *key, uint32_t index) {
    if (n->keys[at] != key->bits) return n->keys[at] < key->bits;
    int order = key->text ? compare_text(s, n->entities[at].index, key) : 0;
    return order != 0 ? order < 0 : n->entities[at].index < index;
}

/* The two loops have no branches that depend on the entries. The second is for several entries with one key, and begins
 * anew, so that its steps are as many whatever the first found. */
static uint32_t numbers_below(const node *n, uint64_t key, uint32_t index) {
    uint32_t first = 0;
    for (uint32_t left = n->count; left != 0; left /= 2) {
        uint32_t half = (left + 1) / 2, at = first + half - 1;
        first += half & (0 - (uint32_t)(n->keys[at] < key));
    }
    if (first == n->count || n->keys[first] != key || n->entities[first].index >= index) return first;
    first = 0;
    for (uint32_t left = n->count; left != 0; left /= 2) {
        uint32_t half = (left + 1) / 2, at = first + half - 1;
        bool below = (n->keys[at] < key) | ((n->keys[at] == key) & (n->entities[at].index < index));
        first += half & (0 - (uint32_t)below);
    }
    return first;
}

static uint32_t texts_below(const covey__sorted *s, const node *n, const covey__lookup_key *key, uint32_t index) {
    uint32_t first = 0;
    for (uint32_t left = n->count; left != 0; left /= 2) {
        uint32_t half = (left + 1) / 2;
        if (is_below(s, n, first + half - 1, key, index)) first += half;
    }
    return first;
}

/* How many entries of a node are below a key and an index. */
static uint32_t count_below(const covey__sorted *s, const node *n, const covey__lookup_key *key, uint32_t index) {
    return key->text ? texts_below(s, n, key, index) : numbers_below(n, key->bits, index);
}

/* How many children of a branch begin at a key and an index, or below. */
static uint32_t count_upto(const covey__sorted *s, const branch *b, const covey__lookup_key *key, uint32_t index) {
    return count_below(s, &b->node, key, index == UINT32_MAX ? index : index + 1);
}

/* The child with the last entry that is not above a key and an index; or the first child. */
static uint32_t child_for(const covey__sorted *s, const branch *b, const covey__lookup_key *key, uint32_t index) {
    uint32_t upto = count_upto(s, b, key, index);
    return upto - (upto != 0);
}

/* ---- Filing ------------------------------------------------------------------------------------------------------*/

/* A new root above the old one. */
static void raise(covey__sorted *s) {
    uint32_t number = take_node(s, s->height);
    put_child(s, s->height - 1, branch_at(s, number), 0, s->root);
    branch_at(s, number)->node.count = 1;
    s->root = number;
    s->height++;
}

static void lower(covey__sorted *s) {
    while (s->height > 1 && branch_at(s, s->root)->node.count == 1) {
        uint32_t child = branch_at(s, s->root)->children[0];
        leave_node(s, --s->height, s->root);
        s->root = child;
    }
    if (s->height != 1 || leaf_at(s, s->root)->count != 0) return;
    leave_node(s, 0, s->root);
    s->root = s->height = 0;
}

/* Splits a full child, before something is filed in it; at its end if that comes after all others. */
static void split(covey__sorted *s, uint32_t level, branch *parent, uint32_t at, const covey__lookup_key *key,
                  uint32_t index) {
    uint32_t number = parent->children[at], fresh = take_node(s, level);
    node *full = node_at(s, level, number), *behind = node_at(s, level, fresh);
    bool last = full->next == 0 && is_below(s, full, MOST - 1, key, index);
    uint32_t moved = last ? 1 : HALF;
    link_behind(s, level, number, fresh);
    full->count = MOST - moved;
    behind->count = moved;
    move(level, behind, 0, full, full->count, moved);
    open_gap(level + 1, &parent->node, at + 1);
    put_child(s, level, parent, at + 1, fresh);
    parent->below[at] -= parent->below[at + 1];
}

static void insert(covey__sorted *s, const covey__lookup_key *key, covey_entity e) {
    uint32_t index = e.index;
    if (s->height == 0) {
        s->root = take_node(s, 0);
        s->height = 1;
    }
    if (node_at(s, s->height - 1, s->root)->count == MOST) raise(s);
    uint32_t number = s->root;
    for (uint32_t level = s->height - 1; level != 0; level--) {
        branch *b = branch_at(s, number);
        uint32_t at = child_for(s, b, key, index);
        if (node_at(s, level - 1, b->children[at])->count == MOST) {
            split(s, level - 1, b, at, key, index);
            at = child_for(s, b, key, index);
        }
        if (at == 0 && !is_below(s, &b->node, 0, key, index)) put_entry(&b->node, 0, key->bits, e);
        b->below[at]++;
        number = b->children[at];
    }
    node *leaf = leaf_at(s, number);
    uint32_t at = count_below(s, leaf, key, index);
    open_gap(0, leaf, at);
    put_entry(leaf, at, key->bits, e);
}

/* Two neighbours become one node, or have as many entries each. */
static void unite(covey__sorted *s, uint32_t level, branch *parent, uint32_t at) {
    node *a = node_at(s, level, parent->children[at]), *b = node_at(s, level, parent->children[at + 1]);
    uint32_t sum = a->count + b->count, below = parent->below[at] + parent->below[at + 1];
    if (sum <= MOST) {
        move(level, a, a->count, b, 0, b->count);
        a->count = sum;
        parent->below[at] = below;
        remove_child(s, level, parent, at + 1);
        return;
    }
    uint32_t kept = sum / 2;
    if (a->count < kept) {
        uint32_t moved = kept - a->count;
        move(level, a, a->count, b, 0, moved);
        move(level, b, 0, b, moved, b->count - moved);
    } else {
        move(level, b, a->count - kept, b, 0, b->count);
        move(level, b, 0, a, kept, a->count - kept);
    }
    a->count = kept;
    b->count = sum - kept;
    put_child(s, level, parent, at + 1, parent->children[at + 1]);
    parent->below[at] = below - parent->below[at + 1];
}

/* The way from a leaf to the root. */
typedef struct step {
    node *node;
    uint32_t at;
} step;

/* An entry of the leaf was removed. */
static void mend(covey__sorted *s, const step *way) {
    for (uint32_t level = 0; level + 1 < s->height; level++) {
        node *n = way[level].node;
        branch *parent = as_branch(way[level + 1].node);
        uint32_t at = way[level + 1].at;
        if (n->count == 0) {
            remove_child(s, level, parent, at);
            continue;
        }
        put_entry(&parent->node, at, n->keys[0], n->entities[0]);
        if (n->count < HALF && n->next != 0) unite(s, level, parent, at + 1 < parent->node.count ? at : at - 1);
    }
    lower(s);
}

void covey__sorted_unfile(covey__sorted *s, uint32_t index) {
    if (!covey__sorted_is_filed(s, index)) return;
    covey__lookup_key filed = covey__sorted_key_of(s, index), key = in_nodes(s, &filed);
    step way[LEVELS];
    uint32_t number = s->root;
    for (uint32_t level = s->height - 1; level != 0; level--) {
        branch *b = branch_at(s, number);
        uint32_t at = child_for(s, b, &key, index);
        way[level] = (step){ &b->node, at };
        b->below[at]--;
        number = b->children[at];
    }
    node *leaf = leaf_at(s, number);
    way[0] = (step){ leaf, count_below(s, leaf, &key, index) };
    close_gap(0, leaf, way[0].at);
    mend(s, way);
    forget(s, index);
}

void covey__sorted_file(covey__sorted *s, covey_entity e, const covey__lookup_key *key) {
    if (covey__sorted_has(s, e.index, key)) return;
    covey__sorted_unfile(s, e.index);
    covey__lookup_key inner = in_nodes(s, key);
    note(s, e.index, key);
    insert(s, &inner, e);
}

void covey__sorted_renew(covey__sorted *s, covey_entity e) {
    covey__lookup_key key = covey__sorted_key_of(s, e.index);
    covey__sorted_place place = covey__sorted_seek(s, &key, e.index);
    leaf_at(s, place.leaf)->entities[place.position] = e;
}

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

/* Prefetches what a scan reads of a leaf further on: leaves that were split lie apart. */
COVEY_HOT void prefetch_leaf(const covey__sorted *s, const covey__sorted_place *place) {
    if (place->branch == 0 || place->child + AHEAD >= branch_at(s, place->branch)->node.count) return;
    const node *leaf = leaf_at(s, branch_at(s, place->branch)->children[place->child + AHEAD]);
    for (size_t at = 0; at < offsetof(node, keys); at += 64) covey__prefetch_line((const char *)leaf + at);
}

static void step_to_next_leaf(const covey__sorted *s, covey__sorted_place *place) {
    place->leaf = leaf_at(s, place->leaf)->next;
    place->position = 0;
    if (place->branch == 0 || ++place->child < branch_at(s, place->branch)->node.count) return;
    place->branch = branch_at(s, place->branch)->node.next;
    place->child = 0;
}

covey__sorted_place covey__sorted_seek(const covey__sorted *s, const covey__lookup_key *key, uint32_t index) {
    covey__sorted_place place = { s->root, 0, 0, 0 };
    if (s->height == 0) return place;
    covey__lookup_key inner = { 0, NULL, 0 };
    if (key) inner = in_nodes(s, key);
    else index = 0;
    for (uint32_t level = s->height - 1; level != 0; level--) {
        place.branch = place.leaf;
        place.child = child_for(s, branch_at(s, place.branch), &inner, index);
        place.leaf = branch_at(s, place.branch)->children[place.child];
    }
    place.position = count_below(s, leaf_at(s, place.leaf), &inner, index);
    if (place.position == leaf_at(s, place.leaf)->count) step_to_next_leaf(s, &place);
    return place;
}

/* The index of the entry before a place; before the end, of the last one. */
static uint32_t index_before(const covey__sorted *s, covey__sorted_place place) {
    if (place.leaf != 0 && place.position != 0) return leaf_at(s, place.leaf)->entities[place.position - 1].index;
    uint32_t leaf = s->root;
    if (place.leaf != 0) leaf = leaf_at(s, place.leaf)->before;
    else
        for (uint32_t level = s->height; level > 1; level--)
            leaf = branch_at(s, leaf)->children[branch_at(s, leaf)->node.count - 1];
    return leaf != 0 ? leaf_at(s, leaf)->entities[leaf_at(s, leaf)->count - 1].index : UINT32_MAX;
}

covey__sorted_place covey__sorted_last(const covey__sorted *s, const covey__lookup_key *below) {
    covey__sorted_place end = { 0, 0, 0, 0 };
    uint32_t index = index_before(s, below ? covey__sorted_seek(s, below, 0) : end);
    if (index == UINT32_MAX) return end;
    covey__lookup_key key = covey__sorted_key_of(s, index);
    return covey__sorted_seek(s, &key, 0);
}

covey__sorted_run covey__sorted_next(const covey__sorted *s, covey__sorted_place *place, const covey__lookup_key *high,
                                     uint32_t most) {
    if (place->leaf == 0) return (covey__sorted_run){ NULL, 0 };
    const node *leaf = leaf_at(s, place->leaf);
    covey__sorted_place begin = *place;
    uint32_t first = begin.position, end = leaf->count;
    prefetch_leaf(s, place);
    step_to_next_leaf(s, place);
    if (high) {
        covey__lookup_key inner = in_nodes(s, high);
        /* If the next leaf begins below, there is no need to touch the keys of this one. */
        if (place->leaf == 0 || !is_below(s, &branch_at(s, place->branch)->node, place->child, &inner, UINT32_MAX)) {
            end = count_below(s, leaf, &inner, UINT32_MAX);
            *place = (covey__sorted_place){ 0, 0, 0, 0 };
        }
    }
    if (end > first + most) {
        end = first + most;
        *place = begin;
        place->position = end;
    }
    return (covey__sorted_run){ &leaf->entities[first], end > first ? end - first : 0 };
}

/* Goes down to the first entry and behind the last one at once: for most keys these are in one leaf. */
uint32_t covey__sorted_count(const covey__sorted *s, const covey__lookup_key *key) {
    uint32_t low = s->root, high = s->root, sum = 0;
    if (s->height == 0) return 0;
    covey__lookup_key inner = in_nodes(s, key);
    for (uint32_t level = s->height - 1; level != 0; level--) {
        const branch *a = branch_at(s, low), *b = branch_at(s, high);
        uint32_t first = child_for(s, a, &inner, 0), end = child_for(s, b, &inner, UINT32_MAX);
        if (a == b) sum += entries_of(a, first, end);
        else sum += entries_of(b, 0, end) - entries_of(a, 0, first);
        low = a->children[first];
        high = b->children[end];
    }
    return sum + count_below(s, leaf_at(s, high), &inner, UINT32_MAX) - count_below(s, leaf_at(s, low), &inner, 0);
}

/* ---- Shrinking ---------------------------------------------------------------------------------------------------*/

static bool make_alike(covey__heap *heap, covey__sorted *s, const covey__sorted *other, uint32_t count,
                       uint32_t limit) {
    if (!reserve_exactly(heap, s, count)) return false;
    for (uint32_t i = 0; i < other->filed.count; i++)
        if (other->filed.at[i] && !covey__sorted_reach(heap, s, i * COVEY__BLOCK_PAGE, limit)) return false;
    return true;
}

void covey__sorted_shrink(covey__heap *heap, covey__sorted *s, uint32_t count, uint32_t limit) {
    covey__sorted small = { .text_size = s->text_size };
    if (count >= s->capacity) return;
    if (!make_alike(heap, &small, s, count, limit)) {
        covey__sorted_free(heap, &small);
        return;
    }
    covey__sorted_place place = covey__sorted_seek(s, NULL, 0);
    for (covey__sorted_run run; (run = covey__sorted_next(s, &place, NULL, MOST)).count != 0;)
        for (uint32_t i = 0; i < run.count; i++) {
            covey__lookup_key key = covey__sorted_key_of(s, run.entities[i].index);
            covey__sorted_file(&small, run.entities[i], &key);
        }
    small.changes = s->changes + 1;
    covey__sorted_free(heap, s);
    *s = small;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_numbers(const covey__sorted *s, uint32_t level, uint32_t used, const char **why) {
    const covey__sorted_numbers *numbers = level == 0 ? &s->leaf_numbers : &s->branch_numbers;
    REQUIRE(numbers->end <= numbers->capacity, "lookup: there are more nodes than there is memory for");
    for (uint32_t i = numbers->unused; i != 0; i = node_at(s, level, i)->next) {
        REQUIRE(i <= numbers->end && used < numbers->end, "lookup: the list of unused nodes is broken");
        used++;
    }
    REQUIRE(used == numbers->end, "lookup: a node is neither used nor in the list of unused ones");
    return true;
}

static bool valid_leaf(const covey__sorted *s, const node *leaf, const char **why) {
    for (uint32_t i = 0; i < leaf->count; i++) {
        REQUIRE(covey__sorted_is_filed(s, leaf->entities[i].index), "lookup: an entry has an index that is not filed");
        covey__lookup_key filed = covey__sorted_key_of(s, leaf->entities[i].index), key = in_nodes(s, &filed);
        REQUIRE(key.bits == leaf->keys[i], "lookup: an entry has another key than its index is filed under");
        REQUIRE(i == 0 || is_below(s, leaf, i - 1, &key, leaf->entities[i].index), "lookup: entries are out of order");
        if (i != 0 || leaf->before == 0) continue;
        const node *other = leaf_at(s, leaf->before);
        REQUIRE(is_below(s, other, other->count - 1, &key, leaf->entities[i].index), "lookup: leaves are out of order");
    }
    return true;
}

/* Whether a node is what its parent says. */
static bool valid_child(const covey__sorted *s, uint32_t level, branch *parent, uint32_t at, const char **why) {
    node *n = node_at(s, level, parent->children[at]);
    REQUIRE(n->keys[0] == parent->node.keys[at] && n->entities[0].index == parent->node.entities[at].index,
            "lookup: a branch has another first entry for a node than the node has");
    REQUIRE(entries_in(level, n) == parent->below[at], "lookup: a branch counts more or fewer entries than it has");
    return true;
}

/* The nodes of a level, as its list has them and as their parents do: *first becomes the first one of the next. */
static bool valid_level(const covey__sorted *s, uint32_t level, uint32_t *first, uint32_t *used, const char **why) {
    uint32_t below = level != 0 ? branch_at(s, *first)->children[0] : 0, child = below, child_before = 0;
    uint32_t last = 0;
    for (uint32_t number = *first; number != 0; number = node_at(s, level, number)->next) {
        node *n = node_at(s, level, number);
        (*used)++;
        REQUIRE(n->before == last, "lookup: the nodes of a level are no list");
        REQUIRE(n->count != 0 && n->count <= MOST, "lookup: a node has no entries, or too many");
        REQUIRE(n->next == 0 || n->count >= HALF, "lookup: a node has too few entries");
        if (level == 0 && !valid_leaf(s, n, why)) return false;
        for (uint32_t i = 0; level != 0 && i < n->count; i++) {
            REQUIRE(as_branch(n)->children[i] == child && node_at(s, level - 1, child)->before == child_before,
                    "lookup: the nodes of a level are not the children of the one above");
            if (!valid_child(s, level - 1, as_branch(n), i, why)) return false;
            child_before = child;
            child = node_at(s, level - 1, child)->next;
        }
        last = number;
    }
    REQUIRE(child == 0, "lookup: a node has no parent");
    *first = below;
    return true;
}

static bool valid_filed(const covey__sorted *s, const char **why) {
    uint32_t filed = 0;
    for (uint32_t i = 0; i < s->filed.count; i++) {
        const covey__sorted_page *page = s->filed.at[i];
        for (uint32_t k = 0; page && k < COVEY__BLOCK_PAGE / 64; k++) filed += covey__bits_in(page->filed[k]);
    }
    REQUIRE(filed == s->count, "lookup: the count of filed indices is wrong");
    for (uint32_t i = 0; s->text_size != 0 && i < s->count; i++)
        REQUIRE(covey__sorted_is_filed(s, s->owners[i]) && *filed_key(s, s->owners[i]) == i,
                "lookup: a text belongs to an index that has another one");
    return true;
}

bool covey__sorted_valid(const covey__sorted *s, const char **why) {
    uint32_t leaves = 0, branches = 0, first = s->root;
    REQUIRE(s->count <= s->capacity, "lookup: more indices are filed than there is memory for");
    REQUIRE((s->height == 0) == (s->count == 0), "lookup: entries without a root, or a root without entries");
    REQUIRE(s->count == 0 || branches_for(s->capacity) <= s->branch_numbers.capacity,
            "lookup: there is no memory for all branches");
    if (!valid_filed(s, why)) return false;
    if (s->height > 1) REQUIRE(branch_at(s, s->root)->node.count > 1, "lookup: the root has one child");
    if (s->height != 0)
        REQUIRE(entries_in(s->height - 1, node_at(s, s->height - 1, s->root)) == s->count,
                "lookup: there are more or fewer entries than indices are filed");
    for (uint32_t level = s->height; level-- != 0;)
        if (!valid_level(s, level, &first, level == 0 ? &leaves : &branches, why)) return false;
    return valid_numbers(s, 0, leaves, why) && valid_numbers(s, 1, branches, why);
}
