import type { Echo } from './echo.ts'
import { framedEchoes } from './framed.ts'
import { placedEchoes } from './placed.ts'
import { speltEchoes } from './spelt.ts'

export { everyCanary } from './canaries.ts'
export type { Echo } from './echo.ts'

/** Services that repeat the credentials they receive, in every place and spelling. */
export const echoes: readonly Echo[] = [...placedEchoes, ...framedEchoes, ...speltEchoes]
