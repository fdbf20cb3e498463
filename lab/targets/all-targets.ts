import { anotherProduct } from './another-product.ts'
import { crossed } from './crossed.ts'
import { givenInPart } from './given-in-part.ts'
import { hostileText } from './hostile-text.ts'
import { inTrouble } from './in-trouble.ts'
import { large } from './large.ts'
import { misread } from './misread.ts'
import { notHttp } from './not-http.ts'
import { oddHeads } from './odd-heads.ts'
import { refused } from './refused.ts'
import { slow } from './slow.ts'
import type { ProofTarget } from './target.ts'
import { tls } from './tls.ts'
import { troubled } from './troubled.ts'
import { unreachable } from './unreachable.ts'

/** Every target that cannot be judged, is hostile, or is easily misread. */
export const targets: readonly ProofTarget[] = [
  ...unreachable,
  ...tls,
  ...anotherProduct,
  ...refused,
  ...inTrouble,
  ...notHttp,
  ...large,
  ...slow,
  ...oddHeads,
  ...crossed,
  ...hostileText,
  ...givenInPart,
  ...misread,
  ...troubled,
]
