/**
 * Begins the page.
 */
import { render } from 'preact'
import { Dashboard } from './App.js'
import './style.css'

const place = document.getElementById('page')
if (place !== null) render(<Dashboard />, place)
