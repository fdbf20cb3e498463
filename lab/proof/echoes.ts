import type { Echo } from './echoes/echo.ts'
import { framedEchoes } from './echoes/framed.ts'
import { placedEchoes } from './echoes/placed.ts'
import { speltEchoes } from './echoes/spelt.ts'

export { everyCanary } from './echoes/canaries.ts'
export type { Echo } from './echoes/echo.ts'

/** Services that repeat the credentials which they are sent: in every place, and in every spelling. */
export const echoes: readonly Echo[] = [...placedEchoes, ...framedEchoes, ...speltEchoes]
