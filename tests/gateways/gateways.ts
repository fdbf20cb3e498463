import { apache } from './apache.ts'
import { caddy } from './caddy.ts'
import type { Gateway } from './gateway.ts'
import { haproxy } from './haproxy.ts'
import { nginx } from './nginx.ts'

/** Every gateway that staging systems commonly stand behind. */
export const gateways: readonly Gateway[] = [nginx, haproxy, caddy, apache]
