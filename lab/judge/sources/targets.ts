import { cannotBeJudged } from '../../targets/cannot-be-judged.ts'
import { misread } from '../../targets/easily-misread.ts'
import { hostile } from '../../targets/hostile.ts'
import { large } from '../../targets/large.ts'
import { tls } from '../../targets/tls.ts'

/** Every target that cannot be judged, is hostile, or is easily misread. */
export const targetServices = [...cannotBeJudged, ...tls, ...hostile, ...large, ...misread]
