import { expect, test } from 'vitest'
import { reachableWarnings, readListenAddress } from './listen-address.ts'

test.each([
  ...['0', '80', '65535'].map((port) => ['::1', port, Number(port), []] as const),
  ...['-1', '', '8o', '1e3', '0x50', '65536'].map((port) => ['localhost', port, 0, ['--port']] as const),
  [' ', '65536', 0, ['--port', '--host']],
] as const)('--host %j --port %j is port %i, and wrong are %j', (host, given, port, wrong) => {
  const { value, issues } = readListenAddress({ host, port: given })

  expect(value).toEqual({ host, port })
  expect(issues.map(({ setting }) => setting)).toEqual(wrong)
})

const local = ['127.0.0.1', '127.9.9.9', 'localhost', '::1']
const reachable = [
  '0.0.0.0',
  '::',
  '0',
  '192.168.1.7',
  '::ffff:0.0.0.0',
  'staging',
  'localhost.example',
  '127.evil',
]

test.each([...local, ...reachable])(
  'a warning says that others can reach %s, except on this machine alone',
  (host) => {
    const warning = `WARNING: with --host ${host}, other machines on the network can reach it`

    expect(reachableWarnings(host, 'it')).toEqual(local.includes(host) ? [] : [warning])
  },
)
