/* HTTP: reads and checks requests, and sends answers. Runs on the thread of libmicrohttpd. */
#include "inspector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char api[] = "/api/v1/";

/* ---- Answers ------------------------------------------------------------------------------------------------------*/

static bool add_header(struct MHD_Response *response, const char *name, const char *value) {
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* Adds the headers that every answer must have. Returns false, and the answer is not sent, if there is no memory. */
static bool add_headers(struct MHD_Response *response, const char *type, bool cacheable) {
    return add_header(response, "Content-Type", type) && add_header(response, "X-Content-Type-Options", "nosniff") &&
           add_header(response, "Referrer-Policy", "no-referrer") &&
           add_header(response, "Cross-Origin-Resource-Policy", "same-origin") &&
           add_header(response, "Cache-Control", cacheable ? "no-cache" : "no-store") &&
           add_header(
               response, "Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

/* Sends a response if it is `ready`, and releases it. MHD_NO closes the connection. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response,
                                     bool ready) {
    enum MHD_Result sent = ready ? MHD_queue_response(connection, status, response) : MHD_NO;
    MHD_destroy_response(response);
    return sent;
}

/* Sends the answer of a request, without a copy: the request lasts until its answer is sent. */
static enum MHD_Result send_answer(inspect__request *request) {
    static const char no_memory[] = "{\"error\":{\"code\":\"MEMORY\",\"text\":\"the inspector is out of memory\"}}";
    bool whole = !request->json.failed;
    const char *bytes = whole ? request->json.bytes : no_memory;
    size_t size = whole ? request->json.length : sizeof no_memory - 1;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    bool ready = add_headers(response, whole ? request->type : "application/json", false) &&
                 (!request->allow || add_header(response, "Allow", request->allow)) &&
                 (request->status != 401 || add_header(response, "WWW-Authenticate", "Bearer")) &&
                 (request->status != 429 || add_header(response, "Retry-After", "1"));
    return send_response(request->connection, whole ? request->status : 500, response, ready);
}

static bool accepts_gzip(struct MHD_Connection *connection) {
    const char *accepted = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept-Encoding");
    return accepted && strstr(accepted, "gzip") != NULL && strstr(accepted, "gzip;q=0") == NULL;
}

static enum MHD_Result send_file(struct MHD_Connection *connection, const inspect__file *file) {
    bool packed = file->packed && accepts_gzip(connection);
    const unsigned char *bytes = packed ? file->packed : file->bytes;
    struct MHD_Response *response = MHD_create_response_from_buffer(packed ? file->packed_size : file->size,
                                                                    (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    bool ready = add_headers(response, file->type, true) && add_header(response, "Vary", "Accept-Encoding") &&
                 (!packed || add_header(response, "Content-Encoding", "gzip"));
    return send_response(connection, 200, response, ready);
}

/* ---- Checks: each returns true if it has refused the request ------------------------------------------------------*/

static const char *header(const inspect__request *request, const char *name) {
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result add_argument(void *context, enum MHD_ValueKind kind, const char *key, size_t key_size,
                                    const char *value, size_t value_size) {
    inspect__request *request = context;
    (void)kind;
    if (!value) value = "";
    bool fits = request->argument_count < INSPECT__ARGUMENTS && strlen(key) == key_size && strlen(value) == value_size;
    if (!fits) {
        inspect__refuse(request, 400, "ARGUMENT", "a request has at most %d arguments, without zero bytes",
                        INSPECT__ARGUMENTS);
        return MHD_NO;
    }
    request->arguments[request->argument_count++] = (inspect__argument){ key, value };
    return MHD_YES;
}

/* Counts a request that has the token. Returns whether it is over the limit of requests for this second. */
static bool is_over_rate(covey_inspector *inspector) {
    uint64_t second = inspect__now() / 1000000000u;
    if (second != inspector->second) inspector->asked = 0;
    inspector->second = second;
    return inspector->asked++ >= inspector->desc.requests;
}

/* Refuses requests whose Host or Origin is not the address of this inspector. */
static bool refuse_foreign(inspect__request *request) {
    const covey_inspector *inspector = request->inspector;
    if (!inspect__host_allowed(inspector, header(request, "Host")))
        return inspect__refuse(request, 403, "HOST", "Host is not the address of this inspector: use http://%s",
                               inspector->host);
    if (!inspect__origin_allowed(inspector, header(request, "Origin")))
        return inspect__refuse(request, 403, "ORIGIN", "pages of other sites have no access");
    return false;
}

static bool refuse_method(inspect__request *request, const char *allow) {
    request->allow = allow;
    return inspect__refuse(request, 405, "METHOD", "use %s", allow);
}

/* The methods that a known path has endpoints for. */
static const char *methods_of(const char *path) {
    bool known;
    bool get = inspect__endpoint_find("GET", path, &known) != NULL,
         post = inspect__endpoint_find("POST", path, &known) != NULL;
    return get && post ? "GET, POST" : get ? "GET" : "POST";
}

/* Sets the endpoint and the arguments of a request. Refuses it if it lacks the token, is over the rate, or has no
 * endpoint. */
static bool refuse_call(inspect__request *request, const char *method, const char *path) {
    covey_inspector *inspector = request->inspector;
    bool known;
    if (!inspect__token_allowed(inspector, header(request, "Authorization")))
        return inspect__refuse(request, 401, "TOKEN",
                               "the token is missing or wrong: send the header 'Authorization: Bearer TOKEN', "
                               "with the token of the address");
    if (is_over_rate(inspector))
        return inspect__refuse(request, 429, "RATE", "more than %u requests in a second: try again later",
                               inspector->desc.requests);
    request->endpoint = inspect__endpoint_find(method, path, &known);
    if (!request->endpoint && known) return refuse_method(request, methods_of(path));
    if (!request->endpoint) return inspect__refuse(request, 404, "ABSENT", "there is no such endpoint");
    if (request->endpoint->write && !inspector->desc.write)
        return inspect__refuse(request, 403, "READ_ONLY",
                               "this inspector is read-only: open it with .write = true to change the world");
    MHD_get_connection_values_n(request->connection, MHD_GET_ARGUMENT_KIND, add_argument, request);
    return request->status != 0;
}

/* Refuses a request whose Content-Length is over the limit, before its body arrives. */
static bool refuse_length(inspect__request *request) {
    const char *length = header(request, "Content-Length");
    bool post = request->endpoint && strcmp(request->endpoint->method, "POST") == 0;
    uint32_t most = post ? request->inspector->desc.body_bytes : 0;
    if (!length || strtoull(length, NULL, 10) <= most) return false;
    return inspect__refuse(request, 413, "LIMIT", "the body is too long: at most %u bytes", most);
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------*/

/* Appends a part of the body. Returns false, and the connection is closed, if the body is too long or there is no
 * memory. */
static bool append_body(inspect__request *request, const char *bytes, size_t size) {
    if (size > request->inspector->desc.body_bytes - request->body_length) return false;
    size_t length = request->body_length + size;
    if (length > request->body_capacity) {
        size_t capacity = length < 1024 ? 1024 : length * 2;
        char *body = inspect__resize(request->inspector, request->body, request->body_capacity, capacity);
        if (!body) return false;
        request->body = body;
        request->body_capacity = capacity;
    }
    memcpy(request->body + request->body_length, bytes, size);
    request->body_length = length;
    return true;
}

/* JSON writes floats such as 1e20 as integers if their digits are few. */
static const char *advice_for(const json_error_t *error) {
    return json_error_code(error) == json_error_numeric_overflow ? ": send it as a string, such as \"1e20\"" : "";
}

static bool refuse_body(inspect__request *request) {
    json_error_t error;
    if (strcmp(request->endpoint->method, "POST") != 0) return false;
    request->parsed =
        json_loadb(request->body ? request->body : "", request->body_length, JSON_REJECT_DUPLICATES, &error);
    if (!request->parsed && json_error_code(&error) == json_error_out_of_memory)
        return inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    if (!request->parsed)
        return inspect__refuse_at(request, 400, "JSON", (size_t)(error.position > 0 ? error.position : 0), 1, "%s%s",
                                  error.text, advice_for(&error));
    if (!json_is_object(request->parsed))
        return inspect__refuse(request, 400, "JSON", "the body must be a JSON object");
    return false;
}

/* ---- Requests -----------------------------------------------------------------------------------------------------*/

static inspect__client *client_of(const inspect__request *request) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Hands a request to the thread that owns the world, and suspends the connection until it is answered. */
static void hand_over(inspect__request *request) {
    covey_inspector *inspector = request->inspector;
    pthread_mutex_lock(&inspector->door);
    if (inspector->closing) inspect__refuse(request, 503, "CLOSING", "the inspector is being closed");
    else {
        request->handed_over = true;
        client_of(request)->asking = true;
        MHD_suspend_connection(request->connection);
        request->next = NULL;
        *inspector->inbox_end = request;
        inspector->inbox_end = &request->next;
        atomic_fetch_add_explicit(&inspector->waiting, 1, memory_order_release);
    }
    pthread_mutex_unlock(&inspector->door);
}

/* Finds the endpoint or the file that a request names, or refuses the request. */
static void route(inspect__request *request, const char *url, const char *method) {
    if (refuse_foreign(request)) return;
    if (strncmp(url, api, sizeof api - 1) == 0) {
        refuse_call(request, method, url + sizeof api - 1);
        return;
    }
    request->file = inspect__page_find(url);
    if (!request->file) inspect__refuse(request, 404, "ABSENT", "there is no such page");
    else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) refuse_method(request, "GET");
}

/* libmicrohttpd closes a connection that is answered before the body has arrived. So a refusal is sent here only if
 * there is a body, which is not read then. */
static enum MHD_Result begin_request(covey_inspector *inspector, struct MHD_Connection *connection, const char *url,
                                     const char *method, void **context) {
    inspect__request *request = inspect__request_create(inspector, connection);
    if (!request || !client_of(request)) {
        inspect__request_destroy(request);
        return MHD_NO;
    }
    *context = request;
    client_of(request)->since = inspect__now();
    route(request, url, method);
    bool body = header(request, "Content-Length") || header(request, "Transfer-Encoding");
    if (body && (request->status != 0 || refuse_length(request))) return send_answer(request);
    return MHD_YES;
}

static enum MHD_Result end_request(inspect__request *request) {
    if (request->handed_over) {
        client_of(request)->asking = false;
        return send_answer(request);
    }
    if (request->status == 0 && request->file) return send_file(request->connection, request->file);
    if (request->status == 0 && !refuse_body(request)) hand_over(request);
    return request->handed_over ? MHD_YES : send_answer(request);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *bytes, size_t *size, void **request_context) {
    inspect__request *request = *request_context;
    (void)version;
    if (!request) return begin_request(context, connection, url, method, request_context);
    if (*size == 0) return end_request(request);
    if (!append_body(request, bytes, *size)) return MHD_NO;
    *size = 0;
    return MHD_YES;
}

static void completed(void *context, struct MHD_Connection *connection, void **request_context,
                      enum MHD_RequestTerminationCode code) {
    inspect__request *request = *request_context;
    (void)context, (void)connection, (void)code;
    if (request && client_of(request)) client_of(request)->asking = false;
    inspect__request_destroy(request);
    *request_context = NULL;
}

/* ---- Connections --------------------------------------------------------------------------------------------------*/

static uint32_t open_clients(const covey_inspector *inspector) {
    uint32_t count = 0;
    for (const inspect__client *client = inspector->clients;
         client < inspector->clients + INSPECT__CONNECTIONS + INSPECT__SPARE; client++)
        count += client->connection && client->socket >= 0;
    return count;
}

/* Closes the connection whose last request is the oldest, so that clients that send a byte now and then, or do not read
 * their answer, cannot block others. Keeps clients that wait for an answer, and the newest one. */
static void close_oldest(covey_inspector *inspector, const inspect__client *newest) {
    inspect__client *oldest = NULL;
    for (inspect__client *client = inspector->clients;
         client < inspector->clients + INSPECT__CONNECTIONS + INSPECT__SPARE; client++)
        if (client != newest && client->connection && !client->asking && client->socket >= 0 &&
            (!oldest || client->since < oldest->since))
            oldest = client;
    if (!oldest) return;
    shutdown(oldest->socket, SHUT_RDWR);
    oldest->socket = -1;
}

static void add_client(covey_inspector *inspector, struct MHD_Connection *connection, void **socket_context) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    inspect__client *client = inspector->clients;
    while (client < inspector->clients + INSPECT__CONNECTIONS + INSPECT__SPARE && client->connection) client++;
    if (!info || client == inspector->clients + INSPECT__CONNECTIONS + INSPECT__SPARE)
        return; /* without a client, begin_request closes it */
    *client = (inspect__client){ connection, info->connect_fd, inspect__now(), false };
    *socket_context = client;
    if (open_clients(inspector) > inspector->desc.connections) close_oldest(inspector, client);
}

static void connected(void *context, struct MHD_Connection *connection, void **socket_context,
                      enum MHD_ConnectionNotificationCode code) {
    if (code == MHD_CONNECTION_NOTIFY_STARTED) add_client(context, connection, socket_context);
    else if (*socket_context) ((inspect__client *)*socket_context)->connection = NULL;
}

/* ---- Begin and end ------------------------------------------------------------------------------------------------*/

static bool same_socket(int a, int b) {
    struct stat first, second;
    return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool inspect__server_start(covey_inspector *inspector, int socket) {
    /* If MHD_start_daemon fails, it may have closed its socket or not. So it gets a duplicate. */
    int second = dup(socket);
    if (second >= 0)
        inspector->daemon =
            MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, inspector,
                             MHD_OPTION_LISTEN_SOCKET, second, MHD_OPTION_NOTIFY_COMPLETED, completed, inspector,
                             MHD_OPTION_NOTIFY_CONNECTION, connected, inspector, MHD_OPTION_CONNECTION_TIMEOUT,
                             (unsigned)inspector->desc.timeout, MHD_OPTION_CONNECTION_LIMIT,
                             (unsigned)(inspector->desc.connections + INSPECT__SPARE),
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 * 1024, MHD_OPTION_END);
    if (!inspector->daemon && second >= 0 && same_socket(socket, second)) close(second);
    close(socket);
    return inspector->daemon != NULL;
}

void inspect__server_stop(covey_inspector *inspector) {
    if (inspector->daemon) MHD_stop_daemon(inspector->daemon);
    inspector->daemon = NULL;
}
