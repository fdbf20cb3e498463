import { expect, test } from 'vitest'
import { reachableWarnings } from './listen-address.ts'

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
  'a warning says that other machines can reach %s, unless it is a loopback address',
  (host) => {
    const warning = `WARNING: with --host ${host}, other machines on the network can reach it`

    expect(reachableWarnings(host, 'it')).toEqual(local.includes(host) ? [] : [warning])
  },
)
