import { expect, test } from 'vitest'
import { proxyFor } from './transport.ts'

test.each<[isFree: boolean, url: string, ...noProxy: readonly string[]]>([
  [true, 'https://[::1]:8443', '::1', '[::1]', '[::1]:8443', '0:0:0:0:0:0:0:1', '::/64'],
  [true, 'https://[::1]:8443', '[0:0:0:0:0:0:0:1]:8443'],
  [true, 'https://[fd00::ab]', 'FD00::/8'],
  [true, 'https://127.0.0.1', '127.0.0.0/8', '127.0.0.1:443', '.0.0.1'],
  [true, 'https://10.1.2.3', '10.1.2.3/32', '::ffff:10.1.2.0/120'],
  [true, 'https://[::ffff:10.1.2.3]', '10.0.0.0/8'],
  [true, 'https://localhost:8443', 'localhost.'],
  [true, 'https://cards.example.', 'cards.example'],
  [true, 'https://cards.example', 'CARDS.Example.:443', 'other.example, cards.example', '10.0.0.0/8\t*'],
  [true, 'https://a.cards.example', '.cards.example'],
  [true, 'https://cards.example', '*.cards.example'],
  [true, 'https://bücher.example', 'bücher.example'],
  [false, 'https://[::1]:8443', '::2, [::1]:443, 127.0.0.0/8, 1::/64'],
  [false, 'https://127.0.0.1', '128.0.0.0/8, 127.0.0.1:8443, ::1'],
  [false, 'https://cards.example', 'a.cards.example, ards.example, cards.example:8443, cards.example.com'],
  [false, 'https://cards.example', ''],
  [false, 'https://10.1.2.3.example', '10.0.0.0/8'],
  [false, 'https://10.1.2.3', '10.*', '10.0.0.0/33', '10.1/8', '10.1.2.3:99999'],
  [false, 'https://cards.example', '*example', 'https://cards.example', 'cards.example:99999'],
  [false, 'https://[::1]', '::/129', '[::1'],
])('whether an entry of NO_PROXY names the host is %s for %s: %#', (isFree, url, ...all) => {
  for (const noProxy of all)
    expect(proxyFor(new URL(url), 'p.example', noProxy) === null, noProxy).toBe(isFree)
})
