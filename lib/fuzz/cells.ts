import type { RequiredField } from '../specification/endpoints.ts'
import type { ClientInput } from './case-class.ts'
import { inTurn, setting, unchanged, without, type RequestChange } from './request-changes.ts'

/** States of each of the three required fields. */
const cellStates = ['valid', 'absent', 'blank', 'wrong'] as const
type State = (typeof cellStates)[number]

/** A combination of states. */
export interface Cell {
  readonly key: State
  readonly secret: State
  readonly version: State
}

/** All 64 combinations of {valid, absent, blank, wrong} for key, secret and version. */
export const cells: readonly Cell[] = cellStates.flatMap((key) =>
  cellStates.flatMap((secret) => cellStates.map((version) => ({ key, secret, version }))),
)

/** Those in which more than one field is flawed. */
export const multiFlawedCells: readonly Cell[] = cells.filter(
  (cell) => Object.values(cell).filter((state) => state !== 'valid').length > 1,
)

/** The name of a cell in cases, which never changes. */
export function nameOfCell({ key, secret, version }: Cell): string {
  return `key-${key}-secret-${secret}-version-${version}`
}

/** Gives the three fields of a request the states of a cell. */
export function inCell(
  { key, secret, version }: Cell,
  wrong: Pick<ClientInput, 'wrongKey' | 'wrongSecret' | 'unsupportedVersion'>,
): RequestChange {
  return inTurn(
    inState('x-api-key', key, wrong.wrongKey),
    inState('x-secret-key', secret, wrong.wrongSecret),
    inState('x-version', version, wrong.unsupportedVersion),
  )
}

function inState(name: RequiredField, state: State, wrong: string): RequestChange {
  switch (state) {
    case 'valid':
      return unchanged
    case 'absent':
      return without(name)
    case 'blank':
      return setting(name, '')
    case 'wrong':
      return setting(name, wrong)
  }
}
