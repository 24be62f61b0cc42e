/* Arbitrary bytes as text for people, JSON and CSV. */
#include "snap.h"

/* The number of bytes of the first character. 0 if it is invalid UTF-8. */
static size_t character(const unsigned char *text, size_t length, uint32_t *code) {
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t bytes = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    if (bytes == 0 || bytes > length) return 0;
    *code = bytes == 1 ? text[0] : text[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (text[i] >> 6 != 2) return 0;
        *code = *code << 6 | (text[i] & 0x3F);
    }
    bool is_surrogate = *code >> 11 == 0x1B;
    return *code < least[bytes] || *code > 0x10FFFF || is_surrogate ? 0 : bytes;
}

/* Whether a character may be a terminal command, or is invisible. */
static bool is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

static void put(FILE *out, const char *text, size_t length, char quote) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    for (size_t bytes; at != end; at += bytes) {
        uint32_t code = 0;
        bytes = character(at, (size_t)(end - at), &code);
        bool shown = bytes != 0 && !is_control(code);
        if (bytes == 0) bytes = 1;
        if (code == '\\' || (quote && code == (uint32_t)quote)) fputc('\\', out);
        if (shown) fwrite(at, 1, bytes, out);
        else
            for (size_t i = 0; i < bytes; i++) fprintf(out, "\\x%02x", at[i]);
    }
}

void snap_put_text(FILE *out, const char *text, size_t length) { put(out, text, length, '\0'); }

void snap_put_quoted(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    put(out, text, length, '"');
    fputc('"', out);
}

/* Each byte of invalid UTF-8 becomes U+FFFD. */
void snap_put_json_bytes(FILE *out, const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    fputc('"', out);
    for (size_t bytes; at != end; at += bytes) {
        uint32_t code = 0xFFFD;
        bytes = character(at, (size_t)(end - at), &code);
        if (bytes == 0) fputs("\\ufffd", out), bytes = 1;
        else if (code == '"' || code == '\\') fprintf(out, "\\%c", (int)code);
        else if (code <= 0xFFFF && is_control(code)) fprintf(out, "\\u%04x", (unsigned)code);
        else fwrite(at, 1, bytes, out);
    }
    fputc('"', out);
}

void snap_put_json(FILE *out, const char *text) { snap_put_json_bytes(out, text, strlen(text)); }

static bool needs_quotes(const char *text, size_t length) {
    if (length == 0) return false;
    if (text[0] == ' ' || text[length - 1] == ' ') return true;
    for (size_t i = 0; i < length; i++)
        if (strchr("\",\r\n", text[i])) return true;
    return false;
}

/* Quotes as RFC 4180 does. The text has no zero bytes. */
void snap_put_csv(FILE *out, const char *text, size_t length) {
    if (!needs_quotes(text, length)) {
        fwrite(text, 1, length, out);
        return;
    }
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') fputc('"', out);
        fputc(text[i], out);
    }
    fputc('"', out);
}
