import type { RequiredField } from '../specification/endpoints.ts'
import type { ClientInput } from './case-class.ts'
import { inTurn, setting, unchanged, without, type RequestChange } from './request-changes.ts'

/** The states of each of the three required fields, with the change that leads to each. */
const cellStates = {
  valid: () => unchanged,
  absent: (name) => without(name),
  blank: (name) => setting(name, ''),
  wrong: (name, wrong) => setting(name, wrong),
} as const satisfies Readonly<Record<string, (name: RequiredField, wrong: string) => RequestChange>>

type State = keyof typeof cellStates
const allStates: readonly State[] = ['valid', 'absent', 'blank', 'wrong']

/** A combination of states. */
export type Cell = Readonly<Record<'key' | 'secret' | 'version', State>>

/** All 64 combinations of {valid, absent, blank, wrong} for the key, secret and version. */
export const cells: readonly Cell[] = allStates.flatMap((key) =>
  allStates.flatMap((secret) => allStates.map((version) => ({ key, secret, version }))),
)

/** The cells with more than one flawed field. */
export const multiFlawedCells: readonly Cell[] = cells.filter(
  (cell) => Object.values(cell).filter((state) => state !== 'valid').length > 1,
)

/** The name of a cell in case names, which never changes. */
export function nameOfCell({ key, secret, version }: Cell) {
  return `key-${key}-secret-${secret}-version-${version}` as const
}

/** Puts the three fields of a request into the states given by a cell. */
export function inCell(
  { key, secret, version }: Cell,
  wrong: Pick<ClientInput, 'wrongKey' | 'wrongSecret' | 'unsupportedVersion'>,
): RequestChange {
  return inTurn(
    cellStates[key]('x-api-key', wrong.wrongKey),
    cellStates[secret]('x-secret-key', wrong.wrongSecret),
    cellStates[version]('x-version', wrong.unsupportedVersion),
  )
}
