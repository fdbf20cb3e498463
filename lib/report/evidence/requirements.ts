import { isPartial } from '../../verdict/verdict.ts'
import { unknownVersion } from '../../settings/package-version.ts'
import { moment } from '../../text/counts.ts'
import type { WholeArchive } from './check.ts'

/** What is required of an archive besides that it is whole. */
interface Requirements {
  /** Whether only a conformant verdict of a whole acceptance is accepted. */
  readonly conformant: boolean
  readonly signature: boolean
  readonly now: Date
}

/** Which requirements an archive does not meet, in sentences; a verdict that no longer holds meets none. */
export function unmetRequirements(
  { verdict, signer }: WholeArchive,
  { conformant, signature, now }: Requirements,
): readonly string[] {
  const { validUntil, exitCode, suite, target, profile } = verdict
  const isOver = validUntil !== undefined && Date.parse(validUntil) < now.getTime()
  const unknown = unknownVersion(suite.version)
  const unfit = [
    ...(unknown === null ? [] : [unknown]),
    ...(exitCode === 0 ? [] : [`the verdict is ${verdict.verdict}, with exit code ${exitCode}`]),
    ...(target.embedded ? ['the run judged the embedded reference service'] : []),
    ...(isPartial(verdict) ? ['the run judged only a part'] : []),
    ...(profile === 'acceptance' ? [] : [`the profile is ${profile}, not acceptance`]),
  ]
  return [
    ...(isOver
      ? [
          `it expired: the verdict was valid until ${moment(validUntil)}, and now it is ${moment(now.toISOString())}`,
        ]
      : []),
    ...(conformant ? unfit.map((one) => `${one} (--require conformant)`) : []),
    ...(signature && signer?.trusted !== true
      ? ['it is not signed by the key that you gave (--require-signature)']
      : []),
  ]
}
