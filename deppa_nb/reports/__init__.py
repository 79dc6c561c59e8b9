"""What is shown: data frames as tables and charts, trees as SVG, all of it on one offline page."""
