import { everyNth, itemsOf, onItems, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { breakingWith, shipped } from './breaking.ts'

/** Changes that conform to the specification, but that existing clients need not tolerate. */
const change = breakingWith({ needs: 'baseline' }, 'tolerance/no-breaking-change')

/** The list's body, changed since it was learned. */
const bodies: readonly Fault[] = [
  change('list-property-removed', 'Customizations have lost their logo.', () =>
    onSuccess(onItems(({ logo: _logo, ...item }) => item)),
  ),
  shipped('list-property-renamed'),
  change('list-property-of-another-type', 'The total is a string of digits.', () =>
    onSuccess(({ payload }) => ({ payload: { ...payload, total: String(payload['total']) } })),
  ),
  change('list-property-became-null', 'The palette of every customization is null.', () =>
    onSuccess(onItems((item) => ({ ...item, palette: null }))),
  ),
  change('list-property-missing-at-times', 'In every third list the customizations have no name.', () =>
    everyNth(
      3,
      onItems(({ name: _name, ...item }) => item),
    ),
  ),
  change('list-became-object', 'The customizations are an object by identifier.', () =>
    onSuccess(({ payload }) => ({
      payload: {
        ...payload,
        customizations: Object.fromEntries(itemsOf(payload).map((item) => [String(item['id']), item])),
      },
    })),
  ),
  change('list-without-envelope', 'The body is the array of customizations itself.', () =>
    onSuccess(({ payload }) => ({ text: JSON.stringify(payload['customizations']) })),
  ),
  change('list-deep-value-became-text', 'The locales of a customization are one text with commas.', () =>
    onSuccess(onItems((item) => ({ ...item, locales: String(item['locales']) }))),
  ),
]

/**
 * Statuses that changed within the limits of the specification. If several codes are documented, another one
 * is not a change.
 */
const outcomes: readonly Fault[] = [
  change('list-under-203', 'The list comes with the status 203.', () => onSuccess({ status: 203 })),
]

/** Changes that only a baseline reveals. */
export const breakingChangeFaults: readonly Fault[] = [...bodies, ...outcomes]
