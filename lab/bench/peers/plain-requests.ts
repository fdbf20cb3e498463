import { Pool } from 'undici'

// A plain script that sends COUNT valid requests, AT_ONCE concurrently, and reads the answers.
const [count = 0, atOnce = 1] = process.argv.slice(2).map(Number)
const { TARGET_BASE_URL = '', TARGET_API_KEY = '', TARGET_SECRET_KEY = '' } = process.env
const headers = { 'x-api-key': TARGET_API_KEY, 'x-secret-key': TARGET_SECRET_KEY, 'x-version': '1' }
const request = { path: '/api/customizations/list', method: 'GET', headers } as const
const pool = new Pool(TARGET_BASE_URL, { connections: atOnce })
let left = count

async function send(): Promise<void> {
  while (left > 0) {
    left -= 1
    const { statusCode, body } = await pool.request(request)
    JSON.parse(await body.text())
    if (statusCode !== 200) process.exitCode = 1
  }
}

await Promise.all(Array.from({ length: atOnce }, send))
await pool.close()
