/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_NIC_ITEM_MASKS_H
#define EMULATED_NIC_ITEM_MASKS_H

#include <rte_flow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a null mask of the item means; NULL: DPDK names none. */
const void *default_item_mask(enum rte_flow_item_type type);

#ifdef __cplusplus
}
#endif

#endif
