/* Access. A page of another site can make a browser on this machine send requests to the inspector, by a host name that
 * resolves to this machine (DNS rebinding). So `Host` and `Origin` must be the inspector's own address, and a request
 * needs the token, which such a page does not know. */
#include "inspector.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

bool inspect__token_make(char token[INSPECT__TOKEN_DIGITS + 1]) {
    unsigned char bytes[INSPECT__TOKEN_DIGITS / 2];
    if (getentropy(bytes, sizeof bytes) != 0) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(token + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return true;
}

bool inspect__token_allowed(const covey_inspector *inspector, const char *authorization) {
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0) return false;
    const char *given = authorization + sizeof scheme - 1;
    if (strlen(given) != INSPECT__TOKEN_DIGITS) return false;
    volatile unsigned char different = 0; /* compares all digits, so that the time does not reveal any */
    for (size_t i = 0; i < INSPECT__TOKEN_DIGITS; i++) different |= (unsigned char)(given[i] ^ inspector->token[i]);
    return different == 0;
}

/* Whether a host is a numeric address, which cannot be the name of another site. */
static bool is_address(const char *text, size_t length) {
    char plain[INSPECT__HOST_LENGTH];
    unsigned char bytes[sizeof(struct in6_addr)];
    bool six = length > 2 && text[0] == '[' && text[length - 1] == ']';
    if (six) {
        text++;
        length -= 2;
    }
    if (length >= sizeof plain) return false;
    memcpy(plain, text, length);
    plain[length] = '\0';
    return inet_pton(six ? AF_INET6 : AF_INET, plain, bytes) == 1;
}

static bool is_port(const char *text, uint16_t port) {
    char own[8];
    snprintf(own, sizeof own, "%u", (unsigned)port);
    return strcmp(text, own) == 0;
}

bool inspect__host_allowed(const covey_inspector *inspector, const char *host) {
    if (!host) return false;
    if (strcasecmp(host, inspector->host) == 0) return true;
    const char *colon = strrchr(host, ':');
    if (!colon || !is_port(colon + 1, inspector->port)) return false;
    size_t length = (size_t)(colon - host);
    if (length == strlen("localhost") && strncasecmp(host, "localhost", length) == 0) return true;
    return inspector->any_address && is_address(host, length);
}

bool inspect__origin_allowed(const covey_inspector *inspector, const char *origin) {
    static const char scheme[] = "http://";
    if (!origin) return true; /* not a browser, or the page that requests its own files */
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           inspect__host_allowed(inspector, origin + sizeof scheme - 1);
}
