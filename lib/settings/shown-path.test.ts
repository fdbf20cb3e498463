import { expect, test } from 'vitest'
import { shownPath, withoutFolder } from './shown-path.ts'

test.each([
  ['/home/ann/cards/ca.pem', 'ca.pem'],
  ['keys/ca.pem', 'keys/ca.pem'],
  ['/home/ann/cards/keys/../ca.pem', 'ca.pem'],
  ['/home/ann/keys/ca.pem', '…/ca.pem'],
  ['../ca.pem', '…/ca.pem'],
  ['/etc/ssl/certs', '…/certs'],
])('in the working folder /home/ann/cards, the path %s is shown as %s', (file, shown) => {
  expect(shownPath(file, '/home/ann/cards')).toBe(shown)
})

test('the path of the working folder is removed everywhere in a text', () => {
  expect(withoutFolder('/x/reports: no; in /x', '/x')).toBe('reports: no; in .')
  expect(withoutFolder('/reports', '/')).toBe('/reports')
})
