import { describe, expect, it } from 'vitest'
import { idleEntries, isExempt } from './no-proxy.ts'

describe('NO_PROXY', () => {
  it.each([
    ['https://[::1]:8443', '::1'],
    ['https://[::1]:8443', '[::1]'],
    ['https://[::1]:8443', '[::1]:8443'],
    ['https://[::1]:8443', '0:0:0:0:0:0:0:1'],
    ['https://[::1]:8443', '[0:0:0:0:0:0:0:1]:8443'],
    ['https://[::1]:8443', '::/64'],
    ['https://[fd00::ab]', 'FD00::/8'],
    ['https://127.0.0.1', '127.0.0.0/8'],
    ['https://127.0.0.1', '127.0.0.1:443'],
    ['https://127.0.0.1', '.0.0.1'],
    ['https://10.1.2.3', '10.1.2.3/32'],
    ['https://10.1.2.3', '::ffff:10.1.2.0/120'],
    ['https://[::ffff:10.1.2.3]', '10.0.0.0/8'],
    ['https://localhost:8443', 'localhost.'],
    ['https://cards.example.', 'cards.example'],
    ['https://cards.example', 'CARDS.Example.:443'],
    ['https://a.cards.example', '.cards.example'],
    ['https://cards.example', '*.cards.example'],
    ['https://bücher.example', 'bücher.example'],
    ['https://cards.example', 'other.example, cards.example'],
    ['https://cards.example', '10.0.0.0/8\t*'],
  ])('exempts %s from the proxy: %s', (url, noProxy) => {
    expect(isExempt(new URL(url), noProxy)).toBe(true)
  })

  it.each([
    ['https://[::1]:8443', '::2, [::1]:443, 127.0.0.0/8, 1::/64'],
    ['https://127.0.0.1', '128.0.0.0/8, 127.0.0.1:8443, ::1'],
    ['https://cards.example', 'a.cards.example, ards.example, cards.example:8443, cards.example.com'],
    ['https://10.1.2.3.example', '10.0.0.0/8'],
    ['https://cards.example', ''],
  ])('does not exempt %s from the proxy: %s', (url, noProxy) => {
    expect(isExempt(new URL(url), noProxy)).toBe(false)
  })

  const names = ['10.*', '*example', 'https://cards.example', 'cards.example:99999']
  const addresses = ['10.0.0.0/33', '::/129', '10.1/8', '[::1']

  it.each([...names, ...addresses])('contains an entry that can never match: %s', (entry) => {
    expect(idleEntries(`localhost ${entry},::1`)).toEqual([entry])
  })

  it('contains no such entry if every entry can match', () => {
    expect(idleEntries('*, .a.example, *.b.example:1, 10.0.0.0/8, [::1]:1, fd00::/8, c.')).toEqual([])
  })
})
