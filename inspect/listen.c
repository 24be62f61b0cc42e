/* The socket on which the inspector listens. */
#include "inspector.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

typedef union any_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} any_address;

static bool read_address(const char *text, uint16_t port, any_address *address) {
    *address = (any_address){ 0 };
    if (strcmp(text, "localhost") == 0) text = "127.0.0.1";
    if (inet_pton(AF_INET, text, &address->four.sin_addr) == 1) {
        address->four.sin_family = AF_INET;
        address->four.sin_port = htons(port);
        return true;
    }
    if (inet_pton(AF_INET6, text, &address->six.sin6_addr) != 1) return false;
    address->six.sin6_family = AF_INET6;
    address->six.sin6_port = htons(port);
    return true;
}

static socklen_t size_of(const any_address *address) {
    return address->any.sa_family == AF_INET ? sizeof address->four : sizeof address->six;
}

static bool is_any(const any_address *address) {
    static const struct in6_addr all = IN6ADDR_ANY_INIT;
    if (address->any.sa_family == AF_INET) return address->four.sin_addr.s_addr == htonl(INADDR_ANY);
    return memcmp(&address->six.sin6_addr, &all, sizeof all) == 0;
}

/* Sets what clients send as "Host:". An inspector that listens on all addresses shows the loopback address. */
static void set_host(covey_inspector *inspector, const any_address *address) {
    bool six = address->any.sa_family == AF_INET6;
    char text[INET6_ADDRSTRLEN] = "";
    if (six) inet_ntop(AF_INET6, &address->six.sin6_addr, text, sizeof text);
    else inet_ntop(AF_INET, &address->four.sin_addr, text, sizeof text);
    inspector->any_address = is_any(address);
    inspector->port = ntohs(six ? address->six.sin6_port : address->four.sin_port);
    const char *shown = !inspector->any_address ? text : six ? "::1" : "127.0.0.1";
    snprintf(inspector->host, sizeof inspector->host, six ? "[%s]:%u" : "%s:%u", shown, (unsigned)inspector->port);
}

static bool listen_at(int socket, const any_address *address) {
    int yes = 1;
    if (fcntl(socket, F_SETFD, FD_CLOEXEC) != 0) return false;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes); /* a restarted program gets its port again */
    return bind(socket, &address->any, size_of(address)) == 0 && listen(socket, 32) == 0;
}

int inspect__listen(covey_inspector *inspector) {
    any_address address;
    if (!read_address(inspector->desc.address, inspector->desc.port, &address)) {
        errno = EINVAL;
        return -1;
    }
    int made = socket(address.any.sa_family, SOCK_STREAM, 0);
    if (made < 0) return -1;
    socklen_t size = sizeof address;
    if (!listen_at(made, &address) || getsockname(made, &address.any, &size) != 0) {
        int reason = errno;
        close(made);
        errno = reason;
        return -1;
    }
    set_host(inspector, &address);
    return made;
}
