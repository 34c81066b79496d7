/**
 * Begins the page.
 */
import { render } from 'preact'
import { App } from './App.js'
import './style.css'

const place = document.getElementById('page')
if (place !== null) render(<App />, place)
