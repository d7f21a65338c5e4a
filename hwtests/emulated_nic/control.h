/* SPDX-License-Identifier: BSD-3-Clause */
/* What a test that is linked with the emulated NIC may do to it. Any thread, unless said otherwise. */
#ifndef EMULATED_NIC_CONTROL_H
#define EMULATED_NIC_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces the profile by the file's, as if the program had begun with it; forgets rules and books.
 * While no emulated port is started. 0, or -1 with the reason on stderr. */
int emulated_nic_load_profile(const char *path);
/* The same from TOML text. */
int emulated_nic_set_profile(const char *toml_text);

/* Installed rules, of all ports. */
uint64_t emulated_nic_rule_count(void);
/* A counter of the books by its name in the JSON ("forwarded", "stale_touches", ...); UINT64_MAX if
 * there is none of that name. */
uint64_t emulated_nic_book(const char *name);
/* The books as JSON; the caller frees it. */
char *emulated_nic_books_json(void);

/* The nth create from now (1: the next) fails with errno `code`, and the count - 1 after it. */
void emulated_nic_fail_creates(uint64_t nth, uint64_t count, int code);
/* Called before each operation that makes or destroys a rule, on the thread that asks for it; packets
 * may be received meanwhile, rules must not be changed. What it returns other than 0 is the errno that
 * the operation fails with. */
typedef int (*emulated_nic_hook)(void *context, int is_create);
/* Sets the hook; null: none. While nobody else calls the NIC. */
void emulated_nic_set_hook(emulated_nic_hook hook, void *context);
/* The NIC loses its newest `count` rules without a word, as after a firmware fault: packets pass them
 * by, and who asks for one hears that it is not there. */
void emulated_nic_lose_rules(uint64_t count);
/* The driver resets the port: its rules are gone and their handles void, it takes no more until it has
 * been stopped and started, and who has asked to hear of it is told. */
void emulated_nic_reset_port(uint16_t port_id);
/* The same, but the card has been pulled out: it takes no more until the port has been started anew. */
void emulated_nic_remove_port(uint16_t port_id);
/* Room for so many rules in all, from now on; rules that are in stay. */
void emulated_nic_set_room(uint64_t rules);
/* What each create costs, in microseconds. */
void emulated_nic_set_insertion_cost(uint64_t us);
/* The NIC's clock, for meters and ages: it stands at this many nanoseconds until set again; 0: real
 * time. */
void emulated_nic_set_clock(uint64_t now_ns);
/* Pulls or mends the cable of a port. */
void emulated_nic_set_link(uint16_t port_id, int is_up);

#ifdef __cplusplus
}
#endif

#endif
