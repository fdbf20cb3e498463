import type { RequiredField } from '../specification/endpoints.ts'
import { memberNames } from '../text/members.ts'
import type { ClientInput } from './case-class.ts'
import { inTurn, setting, unchanged, without, type RequestChange } from './request-changes.ts'

/** The states of each of the three required fields, with the change that leads to each. */
const cellStates = {
  valid: () => unchanged,
  absent: (name) => without(name),
  blank: (name) => setting(name, ''),
  wrong: (name, wrong) => setting(name, wrong),
} as const satisfies Readonly<Record<string, (name: RequiredField, wrong: string) => RequestChange>>

const states = memberNames(cellStates)

/** A combination of states. */
export type Cell = (typeof cells)[number]

/** All 64 combinations of {valid, absent, blank, wrong} for the key, secret and version. */
export const cells = states.flatMap((key) =>
  states.flatMap((secret) =>
    states.map((version) => ({
      /** Its name in case names, which never changes. */
      name: `key-${key}-secret-${secret}-version-${version}` as const,
      /** The number of flawed fields. */
      flaws: [key, secret, version].filter((state) => state !== 'valid').length,
      /** Puts the three fields of a request into these states. */
      change: (wrong: Pick<ClientInput, 'wrongKey' | 'wrongSecret' | 'unsupportedVersion'>) =>
        inTurn(
          cellStates[key]('x-api-key', wrong.wrongKey),
          cellStates[secret]('x-secret-key', wrong.wrongSecret),
          cellStates[version]('x-version', wrong.unsupportedVersion),
        ),
    })),
  ),
)

/** The cells with more than one flawed field. */
export const multiFlawedCells: readonly Cell[] = cells.filter(({ flaws }) => flaws > 1)
