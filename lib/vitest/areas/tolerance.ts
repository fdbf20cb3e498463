import { testRules } from '../rules.ts'

testRules('tolerance')
